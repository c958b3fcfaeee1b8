import type { ContentVariant, Parameter } from '@pressroom/api/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { window, type QuickPickItem } from 'vscode';
import type { WantedVariant } from '../store/variants.ts';
import { recorded } from '../testing/fake-vscode.ts';
import type { CommandParts } from './command.ts';
import { variants } from './variants.ts';

const record = { server: 'https://example.com', guid: 'g', name: 'report', app_mode: 'rmd-static' };
const bare = {
  help: null,
  expression: null,
  choices: null,
  multiple: false,
  min: null,
  max: null,
  step: null,
};
const parameters: Parameter[] = [
  {
    ...bare,
    name: 'region',
    label: 'Region',
    input: 'select',
    value: 'North',
    choices: [
      { label: 'North', value: 'North' },
      { label: 'The South', value: 'South' },
    ],
  },
  { ...bare, name: 'year', label: 'Year', input: 'slider', value: 2026, min: 2020, max: 2030 },
  { ...bare, name: 'token', label: 'Token', input: 'password', value: '' },
];
const variant = (changes: Partial<ContentVariant>): ContentVariant => ({
  key: 'default',
  name: '',
  is_default: true,
  ad_hoc: false,
  visibility: 'public',
  values: {},
  url: 'https://example.com/content/g/',
  user_guid: null,
  bundle_id: '1',
  rendering_id: 1,
  rendered_time: '2026-01-01T00:00:00Z',
  task_id: 'task',
  schedule: null,
  created_time: '2026-01-01T00:00:00Z',
  held: null,
  expires_time: null,
  ...changes,
});
const south = variant({
  key: 'aaaabbbbccccdddd',
  name: 'South',
  is_default: false,
  visibility: 'private',
  values: { region: 'South' },
  url: 'https://example.com/content/g/_variant/aaaabbbbccccdddd/',
});

let sent: unknown[];
let shown: QuickPickItem[][];
/** What is chosen or typed, in order. A row is named by its label without the icon. */
let responses: (string | undefined)[];

beforeEach(() => {
  recorded.reset();
  [sent, shown, responses] = [[], [], []];
  vi.spyOn(window, 'showQuickPick').mockImplementation((async (items: QuickPickItem[]) => {
    shown.push(items);
    const wanted = responses.shift();
    if (wanted === undefined) return undefined;
    const found = items.find(({ label }) => label.replace(/^\$\([\w-]+\) /, '') === wanted);
    if (found === undefined) throw new Error(`no row ${wanted} in ${items.map((item) => item.label).join()}`);
    return found;
  }) as never);
  Object.assign(window, { showInputBox: async () => responses.shift() });
});
afterEach(() => {
  vi.restoreAllMocks();
  Reflect.deleteProperty(window, 'showInputBox');
});

function run(chosen: (string | undefined)[], { failure = null as string | null, press = '' } = {}) {
  responses = chosen;
  const tell = async (text: string) => (recorded.messages.push(text), press);
  vi.spyOn(window, 'showInformationMessage').mockImplementation(tell as never);
  vi.spyOn(window, 'showErrorMessage').mockImplementation(tell as never);
  vi.spyOn(window, 'showWarningMessage').mockImplementation(tell as never);
  const parts = {
    keys: { get: async () => 'KEY' },
    log: { line: () => undefined, show: () => undefined },
    history: {
      follow: async () => failure,
      variants: {
        parameters: async () => parameters,
        list: async () => [variant({}), south],
        renderings: async () => [
          {
            id: 2,
            bundle_id: '7',
            task_id: 't',
            values: { region: 'South' },
            created_time: '2026-01-01T00:00:00Z',
            active: true,
          },
        ],
        create: async (_content: unknown, wanted: WantedVariant) => (sent.push(wanted), south),
        change: async (_content: unknown, key: string, values: unknown) => (sent.push(key, values), south),
        render: async (_content: unknown, key: string) => (sent.push(key), 'task'),
        remove: async (_content: unknown, key: string) => void sent.push(key),
      },
    },
  } as unknown as CommandParts;
  return variants.run(parts, { dir: '/', record });
}

test('creates a variant with an input for each parameter type', async () => {
  await run([
    'Render with other values…',
    'Region',
    'The South',
    'Year',
    '2025',
    'Save as variant…',
    ' South 2025 ',
    'All who may view the content',
  ]);
  const keep = { name: 'South 2025', visibility: 'public' };
  expect(sent).toEqual([{ values: { region: 'South', year: '2025' }, keep }]);
  expect(recorded.messages).toEqual(['report: South was rendered.']);
  const form = shown.at(-2)!.map(({ label, description }) => [label, description]);
  expect(form).toEqual([
    ['$(play) Render once, for yourself', undefined],
    ['$(save) Save as variant…', undefined],
    ['Region', 'The South'],
    ['Year', '2025'],
  ]);
});

test('renders once without a name, and Open opens the result', async () => {
  await run(['Render with other values…', 'Render once, for yourself'], { press: 'Open' });
  expect(sent).toEqual([{ values: {} }]);
  expect(recorded.opened).toEqual([south.url]);
});

test('leaving the form sends nothing, and leaving an input keeps its value', async () => {
  await run(['Render with other values…', 'Year', undefined, undefined]);
  expect(sent).toEqual([]);
  expect(recorded.messages).toEqual([]);
});

test('lists variants with their values, and changes those of one', async () => {
  await run(['South', 'Change its values…', 'Year', '2024', 'Save and render']);
  expect(sent).toEqual([south.key, { region: 'South', year: '2024' }]);
  const rows = shown[0]!.map(({ label, description }) => [label, description]);
  expect(rows.slice(1)).toEqual([
    ['Default', ''],
    ['South', 'region = South'],
  ]);
  expect(shown[0]![2]!.detail).toMatch(/^rendered .* · private$/);
});

test('renders a variant, opens it from its history, and deletes it after confirmation', async () => {
  await run(['South', 'Render now']);
  await run(['South', 'Renderings', new Date('2026-01-01T00:00:00Z').toLocaleString()]);
  await run(['South', 'Delete'], { press: 'Delete' });
  await run(['South', 'Delete']);
  expect(sent).toEqual([south.key, south.key]);
  expect(recorded.opened).toEqual([south.url]);
  expect(recorded.messages).toContain('Delete the variant South of report?');
  expect(recorded.messages).toContain('The variant South was deleted.');
});

test('offers no change or deletion of the default, and reports a failed rendering', async () => {
  await run(['Default', 'Render now'], { failure: 'object "x" not found' });
  expect(shown[1]!.map(({ label }) => label)).toEqual([
    '$(link-external) Open the rendering',
    '$(play) Render now',
    '$(history) Renderings',
  ]);
  expect(recorded.messages).toEqual(['Could not render report: Default: object "x" not found']);
});

test('rejects variants of an application', async () => {
  const parts = { keys: { get: async () => 'KEY' } } as unknown as CommandParts;
  await variants.run(parts, { dir: '/', record: { ...record, app_mode: 'shiny' } });
  expect(recorded.messages).toEqual(['report is not rendered: only documents have variants.']);
});

test('does not send the value of a parameter that no longer exists', async () => {
  const before = { ...south.values };
  Object.assign(south.values, { country: 'Peru' });
  await run(['South', 'Change its values…', 'Year', '2024', 'Save and render']);
  Reflect.deleteProperty(south.values, 'country');
  expect(south.values).toEqual(before);
  expect(sent).toEqual([south.key, { region: 'South', year: '2024' }]);
});
