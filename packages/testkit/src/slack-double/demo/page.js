// The demo channel: fetches the state after every change, and renders it.
const $ = (id) => document.getElementById(id);
// As SVG: a machine may have no font with emoji.
const EMOJI = {
  hourglass_flowing_sand: ['◔', '#e8912d'],
  white_check_mark: ['✓', '#2eb67d'],
  x: ['✗', '#e01e5a'],
  grey_question: ['?', '#868686'],
  warning: ['!', '#e8912d'],
  bulb: ['☞', '#1264a3'],
  large_green_circle: ['●', '#2eb67d'],
  white_circle: ['○', '#868686'],
  lock: ['⊘', '#e01e5a'],
  unlock: ['○', '#2eb67d'],
  key: ['⚿', '#e8912d'],
  no_entry: ['⊘', '#e01e5a'],
  no_entry_sign: ['⊘', '#e01e5a'],
  raised_hand: ['✋', '#e8912d'],
  ballot_box_with_check: ['☑', '#1264a3'],
  boom: ['✹', '#e01e5a'],
  pencil2: ['✎', '#1264a3'],
  hatching_chick: ['◔', '#e8912d'],
  rewind: ['↩', '#e01e5a'],
  fast_forward: ['⇥', '#868686'],
  eyes: ['◉', '#e8912d'],
  busts_in_silhouette: ['☻', '#1264a3'],
  frame_with_picture: ['▣', '#1264a3'],
  cobweb: ['✣', '#868686'],
};
/** Commands to try, with content and a user of the server. */
const tries = ({ content, person }) => [
  'help',
  'status',
  `status ${content.slice(0, 5)}`,
  `deploy ${content}`,
  `logs ${content}`,
  `usage ${content} --last 30d`,
  'usage --by user',
  `rollback ${content}`,
  `user ${person}`,
  `who ${content}`,
  `subscribe ${content}`,
  'subscriptions',
  'audit',
  `stauts ${content.slice(0, 5)}`,
];
const query = new URLSearchParams(location.search);
const view = { user: query.get('user') ?? '', channel: query.get('channel') ?? '', home: false };
let state;
let drawnModal = '';
/** After a command is entered, the channel scrolls to new messages. */
let followUntil = 0;

const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};

const post = (path, body) => {
  if (path === '/demo/command') followUntil = Date.now() + 5000;
  return fetch(path, {
    method: 'POST',
    body: JSON.stringify({ user: view.user, channel: view.channel, ...body }),
  });
};

/** Slack's mrkdwn as DOM; text is never parsed as HTML. */
function mrkdwn(text) {
  const out = document.createDocumentFragment();
  for (const part of text.split(/(```[\s\S]*?```)/)) {
    if (part.startsWith('```')) out.append(el('pre', {}, plain(part.slice(3, -3).replace(/^\n|\n$/g, ''))));
    else
      for (const quote of part.split(/(^>[^\n]*\n?)/m)) {
        if (!quote.startsWith('>')) inlineParts(quote, out);
        else {
          const block = el('blockquote');
          inlineParts(quote.slice(1).trim(), block);
          out.append(block);
        }
      }
  }
  return out;
}

function inlineParts(text, out) {
  const pattern = /(<[^<>]+>|`[^`\n]+`|\*[^*\n]+\*|:[a-z_]+:|\n)/g;
  for (const part of text.split(pattern)) {
    if (part === '') continue;
    if (part === '\n') out.append(el('br'));
    else if (part.startsWith('`')) out.append(el('code', {}, plain(part.slice(1, -1))));
    else if (/^\*.+\*$/.test(part)) {
      const bold = el('b');
      inlineParts(part.slice(1, -1), bold);
      out.append(bold);
    } else if (/^:[a-z_]+:$/.test(part)) out.append(emoji(part));
    else if (/^<.*>$/.test(part)) out.append(reference(part.slice(1, -1)));
    else out.append(plain(part));
  }
}

function emoji(part) {
  const [glyph, colour] = EMOJI[part.slice(1, -1)] ?? [];
  return glyph ? el('b', { class: 'emoji', style: `color: ${colour}`, title: part }, glyph) : part;
}

function reference(inside) {
  const [target, label] = inside.split('|');
  if (target.startsWith('!date^')) {
    const time = new Date(Number(target.split('^')[1]) * 1000);
    return time.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  }
  if (target.startsWith('#'))
    return `#${state.channels.find(({ id }) => id === target.slice(1))?.name ?? target}`;
  return el('a', { href: plain(target), target: '_blank', rel: 'noreferrer' }, plain(label ?? target));
}

const plain = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const textOf = (object) => (object.type === 'mrkdwn' ? mrkdwn(object.text) : object.text);

function block(item, ts) {
  switch (item.type) {
    case 'header':
      return el('h3', { class: 'block' }, item.text.text);
    case 'section': {
      const body = el('div', {}, item.text ? textOf(item.text) : null);
      if (item.fields)
        body.append(el('div', { class: 'fields' }, ...item.fields.map((f) => el('div', {}, textOf(f)))));
      return el('div', { class: 'block section' }, body, item.accessory ? element(item.accessory, ts) : null);
    }
    case 'context':
      return el(
        'div',
        { class: 'block context' },
        ...item.elements.map((part) => el('span', {}, textOf(part))),
      );
    case 'actions':
      return el('div', { class: 'block actions' }, ...item.elements.map((part) => element(part, ts)));
    case 'table': {
      const rows = item.rows.map((row, i) =>
        el('tr', {}, ...row.map((cell) => el(i === 0 ? 'th' : 'td', {}, cell.text ?? timeOf(cell)))),
      );
      return el('div', { class: 'block scroll' }, el('table', {}, ...rows));
    }
    case 'image':
      return el('img', { class: 'block', alt: item.alt_text, src: `/demo/file/${item.slack_file?.id}` });
    case 'plan':
      return el(
        'div',
        { class: 'block context' },
        ...item.tasks.map(({ title, status }) =>
          el('div', {}, `${{ complete: '✓', in_progress: '◐', error: '✗' }[status] ?? '○'} ${title}`),
        ),
      );
    case 'data_visualization':
      return chart(item);
    case 'input':
      return el(
        'label',
        { class: 'block' },
        el('b', {}, item.label.text),
        field(item),
        el('div', { class: 'context' }, item.hint?.text ?? ''),
      );
    default:
      return el('div', { class: 'block' }, `[${item.type}]`);
  }
}

/** A time in a table, in the reader's time zone. */
function timeOf(cell) {
  const [{ timestamp }] = cell.elements[0].elements;
  return new Date(timestamp * 1000).toLocaleString();
}

/** Input elements of a modal. */
function field({ block_id, element: { type, action_id, options = [], initial_option } }) {
  const data = { 'data-block': block_id, 'data-action': action_id };
  if (type !== 'static_select') return el('input', { type: 'password', ...data });
  const choices = options.map(({ value, text }) =>
    el('option', { value, ...(value === initial_option?.value && { selected: '' }) }, text.text),
  );
  return el('select', data, ...choices);
}

function element(item, ts) {
  if (item.type === 'static_select') {
    const options = item.options.map((option) => el('option', { value: option.value }, option.text.text));
    const change = (event) =>
      post('/demo/click', { ts, action: item.action_id, selected: event.target.value });
    return el(
      'select',
      { onchange: change },
      el('option', {}, item.placeholder?.text ?? 'Choose'),
      ...options,
    );
  }
  const click = async () => {
    if (item.url) window.open(item.url, '_blank', 'noreferrer');
    if (item.confirm && !(await confirmed(item.confirm))) return;
    await post('/demo/click', { ts, action: item.action_id });
  };
  return el('button', { class: `slack ${item.style ?? ''}`, type: 'button', onclick: click }, item.text.text);
}

function confirmed({ title, text, confirm, deny }) {
  const dialog = $('confirm');
  return new Promise((resolve) => {
    const end = (result) => () => {
      dialog.close();
      resolve(result);
    };
    dialog.replaceChildren(
      el('h3', {}, title.text),
      el('p', {}, textOf(text)),
      el(
        'footer',
        {},
        el('button', { onclick: end(false) }, deny.text),
        el('button', { class: 'primary', onclick: end(true) }, confirm.text),
      ),
    );
    dialog.showModal();
  });
}

function chart({ title, chart: { type, series, axis_config: axis } }) {
  const [width, height, left, bottom] = [620, 200, 40, 46];
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const add = (tag, attributes, text) => {
    const node = document.createElementNS(ns, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
  };
  const most = Math.max(1, ...series.flatMap(({ data }) => data.map(({ value }) => value)));
  const step = (width - left - 10) / axis.categories.length;
  const x = (i) => left + step * (i + 0.5);
  const y = (value) => height - bottom - ((height - bottom - 16) * value) / most;
  for (const share of [0, 0.5, 1]) {
    add('line', { x1: left, x2: width, y1: y(most * share), y2: y(most * share), stroke: '#e6e6e6' });
    add(
      'text',
      { x: left - 6, y: y(most * share) + 4, 'text-anchor': 'end', 'font-size': 10 },
      Math.round(most * share),
    );
  }
  axis.categories.forEach((label, i) => {
    const at = `rotate(-35 ${x(i)} ${height - bottom + 12})`;
    add(
      'text',
      { x: x(i), y: height - bottom + 12, 'text-anchor': 'end', 'font-size': 9, transform: at },
      label,
    );
  });
  series.forEach(({ name, data }, s) => {
    const colour = ['#1264a3', '#e8912d', '#2eb67d'][s % 3];
    const points = data.map(({ label, value }) => [x(axis.categories.indexOf(label)), y(value)]);
    if (type === 'line') {
      add('polyline', {
        points: points.map((p) => p.join()).join(' '),
        fill: 'none',
        stroke: colour,
        'stroke-width': 2,
      });
      for (const [px, py] of points) add('circle', { cx: px, cy: py, r: 2.5, fill: colour });
    } else {
      const thick = (step * 0.7) / series.length;
      for (const [px, py] of points) {
        const at = px - (step * 0.7) / 2 + thick * s;
        add('rect', { x: at, y: py, width: thick, height: height - bottom - py, fill: colour, rx: 2 });
      }
    }
    add('text', { x: width - 10 - s * 90, y: 10, 'text-anchor': 'end', 'font-size': 11, fill: colour }, name);
  });
  return el('figure', {}, el('figcaption', {}, title), svg);
}

function message(item, isReply) {
  const person = state.users.find(({ id }) => id === item.user);
  const time = new Date(Number(item.ts) * 1000).toLocaleTimeString([], { timeStyle: 'short' });
  const body = el(
    'div',
    { class: 'body' },
    item.only && !person ? el('div', { class: 'only' }, '◉ Only visible to you') : null,
    el('span', { class: 'name' }, person?.name ?? 'Pressroom'),
    el(
      'span',
      { class: 'meta' },
      `  ${person ? '' : 'APP  '}${time}${item.broadcast ? ' · also sent to the channel' : ''}`,
    ),
    ...(item.blocks.length > 0
      ? item.blocks.map((part) => block(part, item.ts))
      : [el('div', {}, plain(item.text))]),
    ...(item.files ?? []).map((file) =>
      el(
        'div',
        { class: 'block' },
        el('a', { href: `/demo/file/${file.id}`, target: '_blank' }, `▤ ${file.title || file.name}`),
        file.name.endsWith('.png')
          ? el('img', { class: 'file', alt: file.title || file.name, src: `/demo/file/${file.id}` })
          : null,
      ),
    ),
  );
  const name = person?.name ?? 'P';
  const avatar = el('div', { class: `avatar ${person ? 'person' : ''}` }, name[0].toUpperCase());
  return el('article', { class: `message ${isReply ? 'reply' : ''}` }, avatar, body);
}

function draw() {
  $('team').textContent = state.team;
  if (!state.users.some(({ id }) => id === view.user)) view.user = state.users[0].id;
  if (!state.channels.some(({ id }) => id === view.channel)) view.channel = state.channels[0].id;
  $('who').replaceChildren(
    ...state.users.map(({ id, name }) =>
      el('option', { value: id, ...(id === view.user && { selected: '' }) }, name),
    ),
  );
  const goTo = (id) => () => {
    view.home = false;
    view.channel = id;
    draw();
  };
  $('channels').replaceChildren(
    ...state.channels
      .filter(({ id }) => !id.startsWith('D') || id === `D${view.user}`)
      .map(({ id, name }) =>
        el(
          'button',
          { type: 'button', class: !view.home && id === view.channel ? 'on' : '', onclick: goTo(id) },
          `# ${name}`,
        ),
      ),
  );
  $('home-tab').className = view.home ? 'on' : '';
  $('try').replaceChildren(
    ...tries(state.example).map((line) =>
      el('button', { type: 'button', onclick: () => post('/demo/command', { text: line }) }, line),
    ),
  );
  $('links').replaceChildren(
    ...Object.entries(state.links).map(([name, url]) => el('a', { href: url, target: '_blank' }, name)),
  );
  const name = state.channels.find(({ id }) => id === view.channel).name;
  $('title').textContent = view.home ? 'Pressroom · Home' : `# ${name}`;
  drawMessages();
  drawModal();
}

function drawMessages() {
  const place = $('messages');
  const above = place.scrollTop;
  const atEnd = place.scrollHeight - above - place.clientHeight < 80 || Date.now() < followUntil;
  if (view.home) {
    place.replaceChildren(...(state.home?.blocks ?? []).map((part) => block(part)));
    return;
  }
  const here = state.messages.filter(({ channel }) => channel === view.channel);
  const top = here.filter(({ thread_ts }) => thread_ts === undefined);
  place.replaceChildren(
    ...top.flatMap((item) => [
      message(item, false),
      ...here.filter(({ thread_ts }) => thread_ts === item.ts).map((reply) => message(reply, true)),
    ]),
  );
  place.scrollTop = atEnd ? place.scrollHeight : above;
}

function drawModal() {
  const dialog = $('modal');
  if (!state.modal) {
    if (dialog.open) dialog.close();
    return;
  }
  // Drawing it again would remove what was typed.
  const modal = JSON.stringify(state.modal);
  if (dialog.open && modal === drawnModal) return;
  drawnModal = modal;
  const { title, blocks, submit, close, errors = {} } = state.modal;
  const send = () => {
    const values = {};
    for (const input of dialog.querySelectorAll('input, select')) {
      values[input.dataset.block] = { [input.dataset.action]: input.value };
    }
    return post('/demo/submit', { values });
  };
  dialog.replaceChildren(
    el('h3', {}, title.text),
    ...blocks.map((part) => block(part)),
    ...Object.values(errors).map((text) => el('p', { class: 'error' }, text)),
    el(
      'footer',
      {},
      el('button', { onclick: () => post('/demo/close', {}) }, close?.text ?? 'Close'),
      el('button', { class: 'primary', onclick: send }, submit?.text ?? 'OK'),
    ),
  );
  if (!dialog.open) dialog.showModal();
}

let loading = false;
let again = false;
async function load() {
  if (loading) {
    again = true;
    return;
  }
  loading = true;
  state = await (await fetch(`/demo/state?user=${encodeURIComponent(view.user)}`)).json();
  draw();
  loading = false;
  if (again) {
    again = false;
    await load();
  }
}
/** A command needs its channel, which is known then. */
const firstLoad = load();

$('who').addEventListener('change', async (event) => {
  view.user = event.target.value;
  await load();
});
$('home-tab').addEventListener('click', async () => {
  view.home = true;
  await post('/demo/home', {});
  await load();
});
$('composer').addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = $('line').value.trim();
  $('line').value = '';
  await firstLoad;
  if (text !== '') await post('/demo/command', { text });
});
await firstLoad;
await load();
new EventSource('/demo/events').addEventListener('message', load);
