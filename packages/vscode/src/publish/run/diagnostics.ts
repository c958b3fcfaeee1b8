// Marks the line of a file, or the notebook cell, that made a deploy fail.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { collectFiles, findProblem, type Problem } from '@pressroom/api/publish';
import {
  Diagnostic,
  DiagnosticSeverity,
  languages,
  NotebookRange,
  Range,
  window,
  workspace,
  type Disposable,
  type Uri,
} from 'vscode';
import type { Directories } from '../directories/directories.ts';

export interface Diagnostics extends Disposable {
  /** Finds the location that a log names and marks it. */
  mark(dir: string, lines: readonly string[]): Promise<Problem | undefined>;
  clear(dir: string): void;
  open(dir: string, problem: Problem): Promise<void>;
}

const MAX_BYTES = 4 * 1024 * 1024;

export function createDiagnostics({ uriOf }: Pick<Directories, 'uriOf'>): Diagnostics {
  const collection = languages.createDiagnosticCollection('pressroom');
  const marked = new Map<string, Uri>();

  function clear(dir: string): void {
    const uri = marked.get(dir);
    if (uri) collection.delete(uri);
    marked.delete(dir);
  }

  return {
    clear,
    async mark(dir, lines) {
      clear(dir);
      const { files } = await collectFiles(dir);
      const problem = await findProblem(lines, {
        files: files.map((file) => file.path),
        read: (file) => readSmall(path.join(dir, file)),
      });
      if (problem === undefined) return undefined;
      const { uri, line } = await placeOf(uriOf(path.join(dir, problem.file)), problem);
      collection.set(uri, [diagnostic(line, problem)]);
      marked.set(dir, uri);
      return problem;
    },
    async open(dir, problem) {
      const { uri, line, notebook } = await placeOf(uriOf(path.join(dir, problem.file)), problem);
      if (notebook && problem.cell) {
        const shown = await window.showNotebookDocument(notebook);
        const range = new NotebookRange(problem.cell.index, problem.cell.index + 1);
        shown.selections = [range];
        shown.revealRange(range);
        return;
      }
      await window.showTextDocument(uri, { selection: new Range(line, 0, line, 0) });
    },
    dispose: () => collection.dispose(),
  };
}

/** Zero-based lines. */
async function placeOf(file: Uri, problem: Problem) {
  const whole = { problem, uri: file, line: problem.line - 1, notebook: null };
  if (problem.cell === null) return whole;
  try {
    const notebook = await workspace.openNotebookDocument(file);
    const cell = notebook.cellAt(problem.cell.index);
    return { problem, uri: cell.document.uri, line: problem.cell.line - 1, notebook };
  } catch {
    // Notebooks are not supported here: the line of the file is marked.
    return whole;
  }
}

function diagnostic(line: number, { message, column }: Problem): Diagnostic {
  const begin = column === null ? 0 : column - 1;
  const entry = new Diagnostic(new Range(line, begin, line, 10_000), message, DiagnosticSeverity.Error);
  entry.source = 'Pressroom';
  return entry;
}

async function readSmall(file: string): Promise<string | undefined> {
  try {
    return (await stat(file)).size > MAX_BYTES ? undefined : await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}
