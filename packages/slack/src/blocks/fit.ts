// Cuts all messages, modals and home tabs to Slack's limits.
import type { HomeView, ModalView } from '@slack/types';
import type { AnyBlock, Home, Message, Modal } from './blocks.ts';
import { cutEscaped, cutText } from './text.ts';

/** Characters. Blocks together fail near 13,000, undocumented. */
const LIMITS = {
  text: 3900,
  blocksInMessage: 50,
  blocksInView: 100,
  allText: 9000,
  beforeLast: 1000,
  section: 3000,
  field: 2000,
  fields: 10,
  header: 150,
  contextElements: 10,
  contextText: 2000,
  actions: 25,
  buttonText: 75,
  buttonValue: 2000,
  url: 3000,
  id: 255,
  options: 100,
  optionText: 75,
  optionValue: 150,
  placeholder: 150,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  rows: 100,
  columns: 20,
  cell: 300,
  inputLabel: 2000,
  hint: 2000,
  modalTitle: 24,
  metadata: 3000,
  chartTitle: 50,
  series: 6,
  points: 20,
  category: 20,
  charts: 2,
} as const;

interface TextObject {
  readonly type: string;
  readonly text: string;
}
type Loose = Readonly<Record<string, unknown>>;

/** A message within Slack's limits. */
export function fit(message: Message): Message {
  const blocks = fitBlocks(message.blocks, LIMITS.blocksInMessage);
  return { text: cutEscaped(message.text.trim() === '' ? '–' : message.text, LIMITS.text), blocks };
}

/** A modal within Slack's limits. */
export function fitModal(modal: Modal): ModalView {
  const loose = modal as unknown as Loose;
  const titled = (key: string) =>
    loose[key] === undefined ? {} : { [key]: fitText(loose[key], LIMITS.modalTitle) };
  return {
    ...modal,
    ...titled('title'),
    ...titled('submit'),
    ...titled('close'),
    private_metadata: String(loose['private_metadata'] ?? '').slice(0, LIMITS.metadata),
    blocks: fitBlocks(modal.blocks, LIMITS.blocksInView),
  } as ModalView;
}

/** A home tab within Slack's limits. */
export function fitHome(home: Home): HomeView {
  return { ...home, blocks: fitBlocks(home.blocks, LIMITS.blocksInView) } as HomeView;
}

function fitBlocks(blocks: readonly AnyBlock[], most: number): readonly AnyBlock[] {
  const kept: Loose[] = [];
  let room: number = LIMITS.allText;
  let tables = 0;
  let charts = 0;
  let left = 0;
  // The final buttons are kept, whatever else is cut.
  const last = blocks.at(-1)?.type === 'actions' ? fitBlock(blocks.at(-1) as unknown as Loose) : null;
  const body = last ? blocks.slice(0, -1) : blocks;
  const places = most - (last ? 1 : 0) - 1;
  // A long menu needs a text that says what it is about.
  if (last) room = Math.max(room - weight(last), LIMITS.beforeLast);
  for (const block of body) {
    if (block.type === 'table' && ++tables > 1) continue;
    if (block.type === 'data_visualization' && ++charts > LIMITS.charts) continue;
    const fitted = fitBlock(block as unknown as Loose, room);
    if (fitted === null) continue;
    const size = weight(fitted);
    if (kept.length >= places || size > room) {
      left += 1;
      continue;
    }
    room -= size;
    kept.push(fitted);
  }
  if (left > 0) {
    const more = {
      type: 'mrkdwn',
      text: `… +${left}`,
    };
    kept.push({ type: 'context', elements: [more] });
  }
  if (last) kept.push(last);
  return kept as unknown as readonly AnyBlock[];
}

/** Characters that count towards the total: all texts at any depth. */
function weight(value: unknown): number {
  if (typeof value === 'string') return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + weight(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => {
    if (typeof item === 'string') return sum + (COUNTED.has(key) ? item.length : 0);
    return sum + weight(item);
  }, 0);
}

const COUNTED = new Set([
  'text',
  'value',
  'alt_text',
  'title',
  'label',
  'url',
  'name',
  'initial_value',
  'fallback',
]);

function fitBlock(block: Loose, room: number = LIMITS.allText): Loose | null {
  const base = block['block_id'] === undefined ? block : { ...block, block_id: id(block['block_id']) };
  switch (block['type']) {
    case 'section':
      return fitSection(base);
    case 'header':
      return { ...base, text: fitText(block['text'], LIMITS.header) };
    case 'context':
      return {
        ...base,
        elements: list(block['elements'])
          .slice(0, LIMITS.contextElements)
          .map((element) => ('text' in element ? fitText(element, LIMITS.contextText) : fitElement(element))),
      };
    case 'actions': {
      const elements = list(block['elements']).filter(isAccepted).slice(0, LIMITS.actions).map(fitElement);
      return elements.length === 0 ? null : { ...base, elements };
    }
    case 'input':
      return {
        ...base,
        label: fitText(block['label'], LIMITS.inputLabel),
        ...(block['hint'] !== undefined && { hint: fitText(block['hint'], LIMITS.hint) }),
        element: fitElement(block['element'] as Loose),
      };
    case 'table':
      return fitTable(base, room);
    case 'data_visualization':
      return fitChart(base);
    case 'image':
      return { ...base, alt_text: cutText(String(block['alt_text'] || '–'), LIMITS.field) };
    default:
      return base;
  }
}

function fitSection(block: Loose): Loose {
  return {
    ...block,
    ...(block['text'] !== undefined && { text: fitText(block['text'], LIMITS.section) }),
    ...(block['fields'] !== undefined && {
      fields: list(block['fields'])
        .slice(0, LIMITS.fields)
        .map((field) => fitText(field, LIMITS.field)),
    }),
    ...(block['accessory'] !== undefined && { accessory: fitElement(block['accessory'] as Loose) }),
  };
}

/**
 * A message with another address, or a part of one, would be refused, and a part of a value would mean something else:
 * such a button is left out.
 */
function isAccepted({ url, value }: Loose): boolean {
  if (typeof value === 'string' && !isButtonValue(value)) return false;
  return (
    url === undefined || (typeof url === 'string' && /^https?:\/\/./i.test(url) && url.length <= LIMITS.url)
  );
}

/** Whether a button can have it as its value. */
export function isButtonValue(text: string): boolean {
  return text.length <= LIMITS.buttonValue;
}

function fitElement(element: Loose): Loose {
  const confirm = element['confirm'] as Loose | undefined;
  const options = element['options'] === undefined ? undefined : list(element['options']);
  return {
    ...element,
    ...(element['action_id'] !== undefined && { action_id: id(element['action_id']) }),
    ...(element['text'] !== undefined && { text: fitText(element['text'], LIMITS.buttonText) }),
    ...(element['placeholder'] !== undefined && {
      placeholder: fitText(element['placeholder'], LIMITS.placeholder),
    }),
    ...(element['alt_text'] !== undefined && {
      alt_text: cutText(String(element['alt_text']), LIMITS.field),
    }),
    ...(options && { options: options.slice(0, LIMITS.options).map(fitOption) }),
    ...(confirm && {
      confirm: {
        ...confirm,
        title: fitText(confirm['title'], LIMITS.confirmTitle),
        text: fitText(confirm['text'], LIMITS.confirmText),
        confirm: fitText(confirm['confirm'], LIMITS.confirmButton),
        deny: fitText(confirm['deny'], LIMITS.confirmButton),
      },
    }),
  };
}

function fitOption(option: Loose): Loose {
  return {
    ...option,
    text: fitText(option['text'], LIMITS.optionText),
    value: String(option['value'] ?? '').slice(0, LIMITS.optionValue),
    ...(option['description'] !== undefined && {
      description: fitText(option['description'], LIMITS.optionText),
    }),
  };
}

/** As many rows as fit, each as wide as the first. The last one says how many are left out. */
function fitTable(block: Loose, room: number): Loose | null {
  const rows: Loose[][] = [];
  let used = 0;
  const given = (block['rows'] ?? []) as readonly (readonly Loose[])[];
  const width = Math.min(LIMITS.columns, given[0]?.length ?? 0);
  if (width === 0) return null;
  for (const row of given) {
    const cells = Array.from({ length: width }, (_, i) => {
      // Times have their own structure, and no text to cut.
      if (row[i]?.['type'] === 'rich_text') return row[i];
      const text = String(row[i]?.['text'] ?? '').trim();
      return { type: 'raw_text', text: cutText(text === '' ? '–' : text, LIMITS.cell) };
    });
    const size = weight(cells);
    if (rows.length >= LIMITS.rows || used + size > room) break;
    used += size;
    rows.push(cells);
  }
  const left = given.length - rows.length;
  if (left > 0 && rows.length > 1) {
    const more = `… +${left + 1}`;
    rows[rows.length - 1] = Array.from({ length: width }, (_, i) => ({
      type: 'raw_text',
      text: i === 0 ? more : '–',
    }));
  }
  return rows.length === 0 ? null : { ...block, rows };
}

interface Series {
  readonly name: string;
  readonly data: readonly { readonly label: string; readonly value: number }[];
}

/** Keeps the newest points; labels must match the axis, without duplicates. */
function fitChart(block: Loose): Loose | null {
  const chart = block['chart'] as {
    series: readonly Series[];
    axis_config: { categories: readonly string[] };
  };
  const categories = [
    ...new Set(chart.axis_config.categories.map((label) => cutText(label, LIMITS.category))),
  ].slice(-LIMITS.points);
  if (categories.length === 0) return null;
  const series = chart.series.slice(0, LIMITS.series).map(({ name, data }) => ({
    name: cutText(name, LIMITS.category),
    data: data
      .map(({ label, value }) => ({ label: cutText(label, LIMITS.category), value }))
      .filter(
        ({ label }, at, all) => categories.includes(label) && all.findIndex((p) => p.label === label) === at,
      ),
  }));
  return {
    ...block,
    title: cutText(String(block['title'] || '–'), LIMITS.chartTitle),
    chart: { ...chart, series, axis_config: { ...chart.axis_config, categories } },
  };
}

function fitText(value: unknown, most: number): TextObject {
  const object = value as TextObject;
  const text = object.text.trim() === '' ? '–' : object.text;
  const cut = object.type === 'mrkdwn' ? cutEscaped(text, most) : cutText(text, most);
  return { ...object, text: cut };
}

function list(value: unknown): Loose[] {
  return Array.isArray(value) ? (value as Loose[]) : [];
}

function id(value: unknown): string {
  return String(value).slice(0, LIMITS.id);
}
