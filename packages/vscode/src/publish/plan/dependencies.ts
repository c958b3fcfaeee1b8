// Packages that files import but no file lists: diagnostics, a quick fix, and a generated requirements.txt.
import path from 'node:path';
import { textOfBytes } from '@pressroom/api/contract';
import {
  checkDependencies,
  collectFiles,
  completeRequirements,
  type BundleFile,
  type DependencyReport,
  inspectDirectory,
  languageOf,
} from '@pressroom/api/publish';
import {
  CodeAction,
  CodeActionKind,
  commands,
  Diagnostic,
  DiagnosticSeverity,
  l10n,
  languages,
  Range,
  workspace,
  type CodeActionProvider,
  type Disposable,
  type Uri,
} from 'vscode';
import type { FileChange } from '../../store/file-changes.ts';
import { attempt } from '../../ui/attempt.ts';
import { unlessNotFound } from '../directories/copied-records.ts';
import { innermost } from '../directories/copies.ts';
import type { Directories } from '../directories/directories.ts';
import { refuseLink } from '../directories/ignore-file.ts';
import { selectedPython } from './selected-python.ts';

export interface Dependencies extends Disposable {
  /**
   * Reports unlisted packages and those without a version. Undefined for content that needs no packages. Reads `files`
   * if not given.
   */
  check(dir: string, appmode: string, files?: readonly BundleFile[]): Promise<DependencyReport | undefined>;
  /** Adds missing packages to requirements.txt, creating it if necessary. Returns the number of lines written. */
  complete(dir: string, report: DependencyReport): Promise<number>;
  /** Runs `check` and `complete` for the detected type. */
  fix(dir: string): Promise<void>;
  /** Follows files of checked directories. */
  onFile(change: FileChange): void;
}

const REQUIREMENTS = 'requirements.txt';
const SOURCE = 'Pressroom packages';
const MISSING = 'missing-package';
const ADD = 'pressroom.addPackage';
const SETTLE_MS = 1000;
const LOOKED_AT = /\.(py|ipynb|r|rmd|qmd)$|(^|[/\\])(requirements\.txt|renv\.lock|DESCRIPTION)$/i;

export function createDependencies(
  directories: Pick<Directories, 'excludeOf' | 'update' | 'uriOf' | 'pathOf'>,
): Dependencies {
  const marks = languages.createDiagnosticCollection('pressroom-packages');
  const checked = new Map<string, { appmode: string; uris: Uri[]; report: DependencyReport | undefined }>();
  const timers = new Map<string, NodeJS.Timeout>();
  /** Packages by the text of their diagnostic. */
  const wantedBy = new Map<string, string>();

  function mark(dir: string, appmode: string, report: DependencyReport | undefined): void {
    for (const uri of checked.get(dir)?.uris ?? []) marks.delete(uri);
    const found = new Map<string, Diagnostic[]>();
    const add = (file: string, item: Diagnostic) => found.set(file, [...(found.get(file) ?? []), item]);
    if (report !== undefined) {
      for (const { file, line, name, package: wanted } of report.missing) {
        const item = missing(line, name, wanted, report.listedIn ?? usual(report));
        wantedBy.set(item.message, wanted);
        add(file, item);
      }
      for (const { line, name } of report.unpinned) add(REQUIREMENTS, unpinned(line, name));
    }
    const uris = [...found].map(([file, items]) => {
      const uri = directories.uriOf(path.join(dir, file));
      marks.set(uri, items);
      return uri;
    });
    checked.set(dir, { appmode, uris, report });
  }

  async function check(
    dir: string,
    appmode: string,
    given?: readonly BundleFile[],
  ): Promise<DependencyReport | undefined> {
    const files = given ?? (await collectFiles(dir, { exclude: directories.excludeOf(dir) })).files;
    const language = await languageOf(dir, files, appmode);
    if (language === null) return undefined;
    const report = await checkDependencies(dir, files, language);
    // R content without a list of packages uses the server's: logged.
    const shown = language === 'R' && report.listedIn === null ? { ...report, missing: [] } : report;
    mark(dir, appmode, shown);
    return shown;
  }

  async function complete(dir: string, report: DependencyReport): Promise<number> {
    const uri = directories.uriOf(path.join(dir, REQUIREMENTS));
    const wanted = report.missing.map((item) => item.package);
    await refuseLink(workspace.fs, uri);
    await workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())?.save();
    const bytes = await workspace.fs.readFile(uri).then(undefined, unlessNotFound);
    const before = bytes === undefined ? '' : textOfBytes(bytes);
    const listed = report.listedIn === null && before === '' ? undefined : before;
    const { prefix } = (await selectedPython(directories.uriOf(dir))) ?? {};
    const { lines, text } = await completeRequirements(dir, listed, wanted, prefix);
    await workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    await directories.update(dir);
    return lines.length;
  }

  const provider: CodeActionProvider = {
    provideCodeActions(document, _range, { diagnostics }) {
      const own = diagnostics.filter(({ source, code }) => source === SOURCE && code === MISSING);
      const file = directories.pathOf(document.uri);
      const dir = file && innermost(checked.keys(), file);
      if (dir === undefined) return [];
      return own.flatMap((item) => {
        const wanted = wantedBy.get(item.message);
        return wanted === undefined ? [] : [quickFix(item, wanted, dir)];
      });
    },
  };
  /** For the quick fix only: the palette does not have it. */
  const command = commands.registerCommand(ADD, (dir: string, wanted: string) =>
    attempt(async () => {
      const report = checked.get(dir)?.report;
      const missing = report?.missing.find((item) => item.package === wanted);
      if (report !== undefined && missing !== undefined)
        await complete(dir, { ...report, missing: [missing] });
    }),
  );
  const registration = languages.registerCodeActionsProvider(
    [{ language: 'python' }, { pattern: '**/*.{py,ipynb,qmd}' }],
    provider,
    { providedCodeActionKinds: [CodeActionKind.QuickFix] },
  );

  return {
    check,
    complete,
    async fix(dir) {
      const inspection = await inspectDirectory(dir, { exclude: directories.excludeOf(dir) });
      const appmode = inspection.records[0]?.app_mode ?? inspection.candidates[0]?.appmode ?? '';
      const report = await check(dir, appmode);
      if (report !== undefined) await complete(dir, report);
    },
    onFile({ file }) {
      if (file === undefined || !LOOKED_AT.test(file)) return;
      const dir = innermost(checked.keys(), file);
      const known = dir === undefined ? undefined : checked.get(dir);
      if (dir === undefined || known === undefined) return;
      clearTimeout(timers.get(dir));
      const again = () => void check(dir, known.appmode).catch(() => undefined);
      timers.set(dir, setTimeout(again, SETTLE_MS));
    },
    dispose() {
      for (const timer of timers.values()) clearTimeout(timer);
      command.dispose();
      registration.dispose();
      marks.dispose();
    },
  };
}

/** The file that lists packages of a language. */
function usual({ language }: DependencyReport): string {
  return language === 'R' ? 'DESCRIPTION' : REQUIREMENTS;
}

function missing(line: number, name: string, wanted: string, list: string): Diagnostic {
  const text = l10n.t('{0} is imported, but {1} does not list {2}.', name, list, wanted);
  return diagnostic(line, text, DiagnosticSeverity.Warning, MISSING);
}

function unpinned(line: number, name: string): Diagnostic {
  const text = l10n.t('{0} has no version: the server installs the newest one.', name);
  return diagnostic(line, text, DiagnosticSeverity.Information, 'unpinned-package');
}

function diagnostic(line: number, text: string, severity: DiagnosticSeverity, code: string): Diagnostic {
  const item = new Diagnostic(new Range(line - 1, 0, line - 1, 10_000), text, severity);
  item.source = SOURCE;
  item.code = code;
  return item;
}

function quickFix(item: Diagnostic, wanted: string, dir: string): CodeAction {
  const title = l10n.t('Add {0} to requirements.txt', wanted);
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  // No edit: an edit stays unsaved, and follows links.
  action.command = { title, command: ADD, arguments: [dir, wanted] };
  action.diagnostics = [item];
  action.isPreferred = true;
  return action;
}
