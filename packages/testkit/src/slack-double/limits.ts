// Slack's limits on messages, modals and homes: independent of the bot's code.

type Loose = Readonly<Record<string, unknown>>;

const TEXT_LIMITS: Readonly<Record<string, number>> = {
  'section.text': 3000,
  'section.field': 2000,
  'header.text': 150,
  'context.text': 2000,
  'button.text': 75,
  'option.text': 75,
  'placeholder.text': 150,
  'confirm.title': 100,
  'confirm.text': 300,
  'confirm.confirm': 30,
  'confirm.deny': 30,
  'input.label': 2000,
  'input.hint': 2000,
  'modal.title': 24,
  'modal.submit': 24,
  'modal.close': 24,
};
/** Slack documents no total; it has refused from here on. */
const ALL_TEXT = 13_000;

export interface Payload {
  readonly text?: string;
  readonly blocks?: readonly unknown[];
}

/** Exceeded limits in words; empty if Slack would accept it. */
export function violations(payload: Payload, surface: 'message' | 'modal' | 'home' = 'message'): string[] {
  const faults: string[] = [];
  const fault = (text: string) => void faults.push(text);
  const blocks = (payload.blocks ?? []) as readonly Loose[];
  const most = surface === 'message' ? 50 : 100;
  if (blocks.length > most) fault(`${blocks.length} blocks, at most ${most}`);
  if (surface === 'message' && blocks.length === 0 && !payload.text) fault('no_text');
  if ((payload.text?.length ?? 0) > 4000) fault(`text of ${payload.text!.length}`);
  for (const [i, block] of blocks.entries())
    checkBlock(block, surface, (text) => fault(`block ${i}: ${text}`));
  for (const [type, most] of [
    ['table', 1],
    ['plan', 1],
    ['data_visualization', 2],
  ] as const) {
    const found = blocks.filter((block) => block['type'] === type).length;
    if (found > most) fault(`${found} blocks of type ${type}`);
  }
  const sum = JSON.stringify(blocks).length - overhead(blocks);
  if (sum > ALL_TEXT) fault(`blocks hold ${sum} characters`);
  if (surface === 'modal') {
    const modal = payload as Loose;
    for (const part of ['title', 'submit', 'close']) {
      if (modal[part] !== undefined) checkText(modal[part], `modal.${part}`, fault, 'plain_text');
    }
    if (modal['title'] === undefined) fault('a modal without a title');
    if (String(modal['private_metadata'] ?? '').length > 3000) fault('private_metadata');
  }
  return faults;
}

/** Everything that would notify somebody. */
export function pings(payload: unknown): string[] {
  const found: string[] = [];
  walk(payload, (key, text) => {
    if (!['text', 'alt_text', 'title', 'label'].includes(key)) return;
    found.push(
      ...(text.match(
        /<!(?:channel|here|everyone|subteam)[^>]*>|<@[A-Z0-9]+[^>]*>|@(?:here|channel|everyone)\b/gi,
      ) ?? []),
    );
  });
  return found;
}

function walk(value: unknown, visit: (key: string, text: string) => void, key = ''): void {
  if (typeof value === 'string') return visit(key, value);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) walk(item, visit, Array.isArray(value) ? key : name);
}

/** Markup other than text: names, braces, types. */
function overhead(blocks: readonly Loose[]): number {
  let text = 0;
  walk(blocks, (key, value) => {
    if (key !== 'type') text += value.length;
  });
  return JSON.stringify(blocks).length - text;
}

function checkBlock(block: Loose, surface: string, fault: (text: string) => void): void {
  if (String(block['block_id'] ?? '').length > 255) fault('block_id');
  switch (block['type']) {
    case 'section': {
      const fields = (block['fields'] ?? []) as Loose[];
      if (block['text'] === undefined && fields.length === 0) fault('a section without text');
      if (block['text'] !== undefined) checkText(block['text'], 'section.text', fault);
      if (fields.length > 10) fault(`${fields.length} fields`);
      for (const field of fields) checkText(field, 'section.field', fault);
      if (block['accessory'] !== undefined) checkElement(block['accessory'] as Loose, fault);
      return;
    }
    case 'header':
      return checkText(block['text'], 'header.text', fault, 'plain_text');
    case 'context': {
      const elements = (block['elements'] ?? []) as Loose[];
      if (elements.length === 0 || elements.length > 10) fault(`${elements.length} elements in a context`);
      for (const element of elements) if ('text' in element) checkText(element, 'context.text', fault);
      return;
    }
    case 'actions': {
      const elements = (block['elements'] ?? []) as Loose[];
      if (elements.length === 0 || elements.length > 25) fault(`${elements.length} elements in actions`);
      const ids = elements.map((element) => element['action_id']);
      if (new Set(ids).size !== ids.length) fault('an action_id twice in a block');
      for (const element of elements) checkElement(element, fault);
      return;
    }
    case 'input':
      if (surface === 'message') fault('input in a message');
      checkText(block['label'], 'input.label', fault, 'plain_text');
      if (block['hint'] !== undefined) checkText(block['hint'], 'input.hint', fault, 'plain_text');
      return checkElement(block['element'] as Loose, fault);
    case 'table':
      return checkTable(block, fault);
    case 'data_visualization':
      return checkChart(block, fault);
    case 'image':
      if (!block['alt_text'] || String(block['alt_text']).length > 2000) fault('alt_text');
      if (block['image_url'] === undefined && block['slack_file'] === undefined)
        fault('an image without a source');
      return;
    case 'divider':
      return;
    case 'plan':
      return checkPlan(block, surface, fault);
    case 'alert':
      if (surface !== 'modal') fault('alert outside a modal');
      return;
    default:
      fault(`unknown block ${String(block['type'])}`);
  }
}

function checkElement(element: Loose, fault: (text: string) => void): void {
  if (String(element['action_id'] ?? '').length > 255) fault('action_id');
  if (element['type'] === 'button') {
    checkText(element['text'], 'button.text', fault, 'plain_text');
    if (String(element['value'] ?? '').length > 2000) fault('button value');
    if (String(element['url'] ?? '').length > 3000) fault('button url');
  }
  if (element['type'] === 'static_select') {
    const options = (element['options'] ?? []) as Loose[];
    if (options.length === 0 || options.length > 100) fault(`${options.length} options`);
    for (const option of options) {
      checkText(option['text'], 'option.text', fault, 'plain_text');
      const value = String(option['value'] ?? '');
      if (value === '' || value.length > 150) fault('option value');
    }
    if (element['placeholder'] !== undefined) checkText(element['placeholder'], 'placeholder.text', fault);
  }
  const confirm = element['confirm'] as Loose | undefined;
  for (const part of ['title', 'text', 'confirm', 'deny']) {
    if (confirm) checkText(confirm[part], `confirm.${part}`, fault);
  }
}

function checkTable(block: Loose, fault: (text: string) => void): void {
  const rows = (block['rows'] ?? []) as Loose[][];
  if (rows.length === 0 || rows.length > 100) fault(`${rows.length} rows`);
  for (const row of rows) {
    if (row.length === 0 || row.length > 20) fault(`${row.length} columns`);
    if (row.length !== rows[0]!.length) fault('rows of different width');
    for (const cell of row) if (cell['type'] === 'raw_text' && !cell['text']) fault('an empty cell');
  }
}

function checkChart(block: Loose, fault: (text: string) => void): void {
  const chart = block['chart'] as {
    series: { name: string; data: { label: string; value: number }[] }[];
    axis_config: { categories: string[] };
  };
  const title = String(block['title'] ?? '');
  if (title === '' || title.length > 50) fault('chart title');
  const { categories } = chart.axis_config;
  if (categories.length === 0 || categories.length > 20) fault(`${categories.length} points`);
  if (categories.some((label) => label === '' || label.length > 20)) fault('chart label');
  if (chart.series.length === 0 || chart.series.length > 6) fault(`${chart.series.length} series`);
  if (new Set(chart.series.map(({ name }) => name)).size !== chart.series.length) fault('series names');
  for (const { data } of chart.series) {
    if (data.length > 20) fault(`${data.length} points in a series`);
    if (data.some(({ label }) => !categories.includes(label))) fault('a point off the axis');
    if (data.some(({ value }) => !Number.isFinite(value))) fault('a point that is no number');
  }
}

function checkText(value: unknown, kind: string, fault: (text: string) => void, type?: string): void {
  const { text, type: given } = (value ?? {}) as { text?: unknown; type?: string };
  if (typeof text !== 'string' || text.length === 0) return fault(`${kind} is empty`);
  if (type !== undefined && given !== type) fault(`${kind} must be ${type}`);
  if (text.length > TEXT_LIMITS[kind]!) fault(`${kind} has ${text.length} characters`);
  if (!text.isWellFormed()) fault(`${kind} is cut inside a character`);
  if (given === 'mrkdwn' && /&(?!amp;|lt;|gt;)/.test(text)) fault(`${kind} is cut inside an entity`);
}

/** A title, and up to 50 tasks with distinct ids. */
function checkPlan(block: Loose, surface: string, fault: (text: string) => void): void {
  const tasks = (block['tasks'] ?? []) as readonly Loose[];
  if (surface !== 'message') fault('a plan outside a message');
  if (typeof block['title'] !== 'string' || block['title'] === '') fault('a plan without a title');
  if (tasks.length > 50) fault(`${tasks.length} tasks`);
  if (new Set(tasks.map((task) => task['task_id'])).size < tasks.length) fault('two tasks of one id');
  for (const { title, status } of tasks) {
    if (typeof title !== 'string' || title === '') fault('a task without a title');
    if (!['pending', 'in_progress', 'complete', 'error'].includes(String(status))) fault('status of a task');
  }
}
