import type { Inspection } from '@pressroom/api/publish';
import { expect, onTestFinished, test, vi } from 'vitest';
import { window, type QuickPickItem } from 'vscode';
import { recorded } from '../../testing/fake-vscode.ts';
import { typeText } from '../../ui/texts.ts';
import { candidateItems, confirmContent, ordered, pickContent } from './confirm-content.ts';

const inspection = {
  dir: '/project',
  candidates: [
    { appmode: 'shiny', primary: 'app.R' },
    { appmode: 'rmd-static', primary: 'a.Rmd' },
    { appmode: 'rmd-static', primary: 'b.Rmd' },
  ],
} as Inspection;
const first = (file: string | undefined) => ordered(inspection, file)[0]?.primary;

test('lists content that starts from the open file first', () => {
  expect(first('/project/b.Rmd')).toBe('b.Rmd');
  expect(first('/project/app.R')).toBe('app.R');
  expect(first(undefined)).toBe('app.R');
  expect(first('/project/data.csv')).toBe('app.R');
  expect(first('/project/old/b.Rmd')).toBe('app.R');
  expect(ordered(inspection, '/project/b.Rmd')).toHaveLength(3);
});

test('offers a document rendered here also with its page and as that page', () => {
  const candidate = {
    appmode: 'rmd-static',
    contentCategory: '',
    primary: 'a.Rmd',
    entrypoint: 'a.Rmd',
    reason: { code: 'document', args: ['a.Rmd'] },
  } as unknown as Inspection['candidates'][number];
  const offered = (files: string[], changes: object = {}) =>
    candidateItems({ ...candidate, ...changes }, {
      collected: { count: 2, bytes: 10, files: files.map((path) => ({ path })) },
    } as Inspection).map(({ rendering }) => rendering);
  expect(offered(['a.Rmd', 'a.html'])).toEqual([undefined, 'both', 'local']);
  expect(offered(['a.Rmd', 'b.html'])).toEqual([undefined]);
  expect(offered(['a.Rmd', 'a.html'], { contentCategory: 'site' })).toEqual([undefined]);
  expect(offered(['a.Rmd', 'a.html'], { appmode: 'shiny' })).toEqual([undefined]);
});

test.each([
  ['python-streamlit', 'app.py', 'app.py'],
  ['python-fastapi', 'app.py', 'app:app'],
  ['quarto-static', 'report.qmd', 'report.qmd'],
])(
  'offers the usual file first for undetected %s, and asks for its object',
  async (type, usual, entrypoint) => {
    const offered: (string | undefined)[] = [];
    vi.spyOn(window, 'showQuickPick').mockImplementation((async (items: (QuickPickItem | string)[]) => {
      if (typeof items[0] !== 'string')
        return items.find((item) => (item as { appmode?: string }).appmode === type);
      offered.push(items[0]);
      return items[0];
    }) as never);
    Object.assign(window, { showInputBox: async ({ value }: { value?: string }) => value });
    onTestFinished(() => {
      vi.restoreAllMocks();
      Reflect.deleteProperty(window, 'showInputBox');
    });
    const files = ['a.txt', 'app.py', 'report.qmd'].map((path) => ({ path }));
    const found = { candidates: [], collected: { files } } as unknown as Inspection;
    expect(await pickContent(found, 'x')).toEqual({ type, entrypoint });
    expect(offered).toEqual([usual]);
  },
);

test('a file name is no link in the input for an object', async () => {
  const name = '[app](command:workbench.action.quit).py';
  const asked: string[] = [];
  vi.spyOn(window, 'showQuickPick').mockImplementation((async (items: (QuickPickItem | string)[]) =>
    items.find((item) => item === name || (item as { appmode?: string }).appmode === 'python-api')) as never);
  Object.assign(window, { showInputBox: async ({ prompt }: { prompt: string }) => void asked.push(prompt) });
  onTestFinished(() => {
    vi.restoreAllMocks();
    Reflect.deleteProperty(window, 'showInputBox');
  });
  await pickContent({ candidates: [], collected: { files: [{ path: name }] } } as unknown as Inspection, 'x');
  expect(asked).toEqual([expect.stringContaining('[app] (command:')]);
});

test('does not store the likeliest type after a fix', async () => {
  const looked = () =>
    ({
      dir: '/project',
      candidates: [
        { appmode: 'static', primary: 'index.html', entrypoint: '', reason: { code: 'page', args: [] } },
      ],
      collected: { count: 1, bytes: 10, files: [{ path: 'index.html' }] },
    }) as unknown as Inspection;
  recorded.reset();
  // First the fix for packages, then the preselected type.
  recorded.choose.push('Create requirements.txt', typeText('static'));
  const complete = vi.fn(async () => undefined);
  const choice = await confirmContent({
    title: '',
    total: 3,
    where: '',
    server: 'https://example.com',
    inspect: async () => looked(),
    file: undefined,
    dependencies: {
      check: async () => ({ language: 'Python', listedIn: null, missing: [] }) as never,
      complete: complete as never,
    },
    directories: {} as never,
    find: async () => [],
  });
  expect(complete).toHaveBeenCalledTimes(1);
  expect(choice).toEqual({ server: 'https://example.com' });
});
