import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  commands,
  languages,
  type CodeAction,
  type CodeActionProvider,
  type Diagnostic,
  type Uri,
} from 'vscode';
import { FileSystemError, FileType, recorded, Uri as FakeUri, workspace } from '../../testing/fake-vscode.ts';
import { createDependencies } from './dependencies.ts';

const dirs: string[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

/** Lets the editor read and write the disk. @param stat of every file */
function onDisk(stat: { readonly type: number }): void {
  workspace.fs = {
    readFile: (uri: Uri) =>
      readFile(uri.fsPath).catch(() => {
        throw FileSystemError.FileNotFound(uri);
      }),
    writeFile: ({ fsPath }: Uri, text: Uint8Array) => writeFile(fsPath, text),
    stat: async () => stat,
  } as never;
}

const directories = {
  excludeOf: () => [],
  update: async () => undefined,
  uriOf: (path: string) => FakeUri.file(path) as unknown as Uri,
  pathOf: ({ path }: Uri) => path,
};

function withoutMarks() {
  const collection = { set: () => undefined, delete: () => undefined };
  vi.spyOn(languages, 'createDiagnosticCollection').mockReturnValue(collection as never);
  vi.spyOn(languages, 'registerCodeActionsProvider').mockReturnValue({} as never);
  return createDependencies(directories);
}

test('writes the list of packages that a Quarto document with Python lacks', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-dependencies-'));
  dirs.push(dir);
  onDisk({ type: FileType.File });
  await writeFile(join(dir, 'report.qmd'), '```{python}\nimport pandas\n```\n');
  await withoutMarks().fix(dir);
  expect(await readFile(join(dir, 'requirements.txt'), 'utf8')).toBe('pandas\n');
});

test('asks for no packages of a notebook with an R kernel', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-dependencies-'));
  dirs.push(dir);
  const metadata = { kernelspec: { language: 'R' } };
  await writeFile(join(dir, 'a.ipynb'), JSON.stringify({ cells: [], metadata }));
  expect(await withoutMarks().check(dir, 'jupyter-static')).toBeUndefined();
});

test('assigns a file of nested content to its own directory, for marks and fixes', async () => {
  const outer = await mkdtemp(join(tmpdir(), 'pressroom-dependencies-'));
  dirs.push(outer);
  const inner = join(outer, 'app');
  await mkdir(inner);
  for (const dir of [outer, inner]) {
    await writeFile(join(dir, 'app.py'), 'import numpy\n');
    await writeFile(join(dir, 'requirements.txt'), '\n');
  }
  const marks = new Map<string, readonly Diagnostic[]>();
  const collection = {
    set: ({ path }: Uri, items: readonly Diagnostic[]) => void marks.set(path, items),
    delete: ({ path }: Uri) => void marks.delete(path),
  };
  vi.spyOn(languages, 'createDiagnosticCollection').mockReturnValue(collection as never);
  const register = vi.spyOn(languages, 'registerCodeActionsProvider').mockReturnValue({} as never);
  const uriOf = (path: string) => FakeUri.file(path) as unknown as Uri;
  const dependencies = createDependencies({
    excludeOf: (dir) => (dir === outer ? ['app'] : []),
    update: async () => undefined,
    uriOf,
    pathOf: ({ path }) => path,
  });
  const provider = register.mock.calls[0]![1] as CodeActionProvider;
  for (const dir of [outer, inner]) await dependencies.check(dir, 'python-fastapi');
  const uri = uriOf(join(inner, 'app.py'));
  const context = { diagnostics: marks.get(uri.path) } as never;
  const actions = provider.provideCodeActions({ uri } as never, {} as never, context, {} as never);
  expect((actions as CodeAction[])[0]!.command!.arguments).toEqual([inner, 'numpy']);
  await writeFile(uri.path, '');
  dependencies.onFile({ uri, file: uri.path, kind: 'changed' });
  await vi.waitFor(() => expect(marks.has(uri.path)).toBe(false), 5000);
});

test('adds no packages to a file outside, through a link of the repository', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-dependencies-'));
  dirs.push(dir);
  const content = join(dir, 'app');
  await mkdir(content);
  const outside = join(dir, 'outside.txt');
  await writeFile(outside, 'own\n');
  await writeFile(join(content, 'app.py'), 'import numpy\n');
  await symlink(outside, join(content, 'requirements.txt'));
  onDisk({ type: FileType.File | FileType.SymbolicLink });
  const dependencies = withoutMarks();
  const report = await dependencies.check(content, 'python-fastapi');
  await expect(dependencies.complete(content, report!)).rejects.toThrow('symbolic link');
  expect(await readFile(outside, 'utf8')).toBe('own\n');
});

test('keeps what is listed in UTF-16, as PowerShell writes it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-dependencies-'));
  dirs.push(dir);
  const file = join(dir, 'requirements.txt');
  await writeFile(join(dir, 'app.py'), 'import numpy\n');
  await writeFile(file, '\uFEFFflask==3.0\r\n', 'utf16le');
  onDisk({ type: FileType.File });
  const dependencies = withoutMarks();
  const report = await dependencies.check(dir, 'python-fastapi');
  await dependencies.complete(dir, report!);
  expect(await readFile(file, 'utf8')).toBe('flask==3.0\nnumpy\n');
});

test('the quick fix adds one package to the file on disk, with what is unsaved in it, but through no link', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-dependencies-'));
  dirs.push(dir);
  const file = join(dir, 'requirements.txt');
  await writeFile(join(dir, 'app.py'), 'import numpy\nimport yaml\n');
  await writeFile(file, 'flask\n');
  const state = { type: FileType.File as number };
  onDisk(state);
  const open = { uri: FakeUri.file(file), save: () => writeFile(file, 'flask\nunsaved\n') };
  workspace.textDocuments = [open] as never;
  const marks = new Map<string, readonly Diagnostic[]>();
  const collection = {
    set: ({ path }: Uri, items: readonly Diagnostic[]) => void marks.set(path, items),
    delete: () => undefined,
  };
  vi.spyOn(languages, 'createDiagnosticCollection').mockReturnValue(collection as never);
  const register = vi.spyOn(languages, 'registerCodeActionsProvider').mockReturnValue({} as never);
  const registerCommand = vi.spyOn(commands, 'registerCommand');
  const dependencies = createDependencies(directories);
  await dependencies.check(dir, 'python-fastapi');
  const uri = FakeUri.file(join(dir, 'app.py')) as unknown as Uri;
  const provider = register.mock.calls[0]![1] as CodeActionProvider;
  const context = { diagnostics: marks.get(uri.path) } as never;
  const actions = provider.provideCodeActions({ uri } as never, {} as never, context, {} as never);
  const fix = (actions as CodeAction[]).find(({ title }) => title.includes('numpy'))!.command!;
  const [, run] = registerCommand.mock.calls.find(([name]) => name === fix.command)!;
  await run(...(fix.arguments as unknown[]));
  expect(await readFile(file, 'utf8')).toBe('flask\nunsaved\nnumpy\n');
  state.type = FileType.File | FileType.SymbolicLink;
  await run(...(fix.arguments as unknown[]));
  expect(recorded.messages.at(-1)).toContain('symbolic link');
  expect(await readFile(file, 'utf8')).toBe('flask\nunsaved\nnumpy\n');
  workspace.textDocuments = [];
});
