// Covers rendering of notebooks, with the real Python of this machine.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '@pressroom/api/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { processesWith, renderBundle, startBench, type Bench } from '../../testing.ts';
import { jupyter } from './index.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(300);
});
afterAll(() => bench[Symbol.asyncDispose]());

const cell = (cell_type: 'code' | 'markdown', source: string) => ({
  cell_type,
  source,
  metadata: {},
  ...(cell_type === 'code' && { execution_count: null, outputs: [] }),
});

function notebook(cells: ReturnType<typeof cell>[], language = 'python', name = 'a-kernel-of-mine'): string {
  const metadata = { kernelspec: { name, display_name: name, language } };
  return JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 4 });
}

const render = (
  text: string,
  files: Record<string, string> = {},
  options?: Parameters<typeof renderBundle>[4],
) => renderBundle(bench, jupyter, { entrypoint: 'book.ipynb' }, { 'book.ipynb': text, ...files }, options);

describe('Notebook rendering', () => {
  describe('Notebook with code', () => {
    let output: string;
    let lines: string[];
    let page: string;
    beforeAll(async () => {
      const svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>drawn</text></svg>';
      const text = notebook([
        cell('markdown', '![a](images/a%20b.svg)'),
        cell(
          'code',
          'import sys\nprint({"debugpy", "jedi", "prompt_toolkit"} & sys.modules.keys(), "loaded")',
        ),
        cell('code', 'import os\nprint(6 * 7, open("data.csv").read(), os.environ["RSC_REPORT_NAME"])'),
        cell(
          'code',
          'import debugpy.server, jedi, IPython\nprint(IPython.terminal.embed.InteractiveShellEmbed)',
        ),
        cell('code', `from IPython.display import FileLink, SVG\nSVG('${svg}')`),
        cell('code', 'open("a & b.csv", "w").close()\nFileLink("a & b.csv")'),
      ]);
      const files = {
        'data.csv': 'of the data',
        'images/a b.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      };
      ({ output, lines } = await render(text, files, { env: { RSC_REPORT_NAME: 'Sales' } }));
      page = await readFile(join(output, 'index.html'), 'utf8');
    });

    test('runs in its directory under any kernel name and includes the files it shows', async () => {
      expect(page).toContain('42 of the data Sales');
      const files = await readdir(output, { recursive: true });
      expect(files.toSorted()).toEqual(['a & b.csv', 'images', 'images/a b.svg', 'index.html']);
      expect(lines.join('\n')).not.toContain(bench.directory);
    });

    test('imports packages that its kernel does not load: debugger, completion and shell', () => {
      // A newer kernel imports the debugger itself.
      const [, loaded = ''] = /<pre>(.*) loaded/.exec(page) ?? [];
      expect(['set()', "{'debugpy'}"]).toContain(loaded.replaceAll('&#39;', "'"));
      expect(/<pre>.*InteractiveShellEmbed/.exec(page)).not.toBeNull();
      expect(lines.join('\n')).not.toMatch(/warning/i);
    });

    test('embeds drawings and links to no file of the machine', () => {
      const [, image] = /<img alt="" src="data:image\/svg\+xml;base64,([^"]+)"/.exec(page)!;
      expect(Buffer.from(image!, 'base64').toString()).toContain('drawn');
      expect(page).not.toMatch(/(src|href)="file:/);
    });
  });

  test('shows or hides code, all of it or in tagged cells, as the manifest says', async () => {
    const tagged = { ...cell('code', 'print(2 * 21) # tagged'), metadata: { tags: ['hide_input'] } };
    const text = notebook([cell('code', 'print(9 * 11) # plain'), tagged]);
    const shown = async (hide: Partial<Manifest['jupyter']>) => {
      const jupyter_ = { hide_all_input: false, hide_tagged_input: false, ...hide };
      const manifest = { entrypoint: 'book.ipynb', jupyter: jupyter_ };
      const { output } = await renderBundle(bench, jupyter, manifest, { 'book.ipynb': text });
      const page = await readFile(join(output, 'index.html'), 'utf8');
      return ['99', '42', '# plain', '# tagged'].filter(
        (words) => page.includes(`${words}\n`) || page.includes(`${words}<`),
      );
    };
    expect(await shown({})).toEqual(['99', '42', '# plain', '# tagged']);
    expect(await shown({ hide_tagged_input: true })).toEqual(['99', '42', '# plain']);
    expect(await shown({ hide_all_input: true })).toEqual(['99', '42']);
    expect(await shown({ hide_all_input: true, hide_tagged_input: true })).toEqual(['99', '42']);
  });

  test('starts no kernel without code', async () => {
    const files = { 'ipykernel_launcher.py': 'raise SystemExit("started")' };
    const { output } = await render(notebook([cell('markdown', '*words*')]), files);
    expect(await readFile(join(output, 'index.html'), 'utf8')).toContain('<em>words</em>');
    await expect(render(notebook([cell('code', '1')]), files)).rejects.toThrow();
  });

  test('names the error and the cell of a failure', async () => {
    await expect(render(notebook([cell('code', 'y = 1'), cell('code', 'x + y')]))).rejects.toMatchObject({
      code: 1,
      message: "NameError: name 'x' is not defined (cell 2)",
      payload: { cell: 2, kind: 'code' },
    });
  });

  test('rejects a kernel of another language and names it, without the prefix "Error:"', async () => {
    await expect(render(notebook([], 'R', 'ir'))).rejects.toMatchObject({
      code: 1,
      message: expect.stringMatching(/^(?!Error: ).*kernel for R; only Python notebooks/),
    });
  });

  test('names the file when the mail that it describes is no JSON', async () => {
    const code = 'open(".output_metadata.json", "w").write("{\\"rsc_email_subject\\": NaN,}")';
    await expect(render(notebook([cell('code', code)]))).rejects.toThrow(
      'no JSON object to .output_metadata.json',
    );
  });

  test('rejects an invalid notebook', async () => {
    await expect(render('{')).rejects.toMatchObject({
      code: 1,
      message: expect.stringMatching(/is no notebook/),
    });
  });

  test('leaves no process after a cancelled rendering', async () => {
    const sleep = `sleep 603.${process.pid}`;
    const cancel = new AbortController();
    const text = notebook([cell('code', `import subprocess\nsubprocess.run("${sleep}".split())`)]);
    const rendering = render(text, {}, { signal: cancel.signal });
    const settled = Promise.allSettled([rendering]);
    await vi.waitFor(async () => expect(await processesWith(sleep)).not.toEqual([]), 55_000);
    cancel.abort(new Error('cancelled'));
    await settled;
    await expect(rendering).rejects.toThrow('cancelled');
    await vi.waitFor(async () => expect(await processesWith(sleep)).toEqual([]), 20_000);
  });
});
