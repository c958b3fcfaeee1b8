// Finds the cause in Python output: tracebacks, notebooks, and servers that found no application.
import { wording, type Wording } from '../../client/failure-texts.ts';
import { compact, findLine, type DiagnosisKind, type Finding, type Lines } from './diagnosis.ts';
import { HINT_TEXTS } from './hint-texts.ts';

const TRACEBACK = /^([\s│]*)Traceback \(most recent call last\):$/;
const CELL = /^An error occurred while executing the following cell:$/;
const CHAINED = /^\s*(During handling of the above exception|The above exception was the direct cause)/;
const FRAME = /^\s*File "(.+?)", line (\d+)/;
/** Files of Python itself and of packages, which are never the place of the mistake. */
const NOT_CONTENT = /^<|\/(site|dist)-packages\/|\/lib\/python3[^/]*\/|\/bin\/[^/]+$/;
/** Of pip and uv, before the output of what builds a package. */
const BUILD = /^\s*(?:× .* did not run successfully\.$|(?:×|error:) Failed to build )/;
const EXCEPTION = /^((?:\w+\.)*\w+)(?:: (.*))?$/;

export function diagnosePython(lines: Lines): Finding | null {
  const start = findLine(lines, TRACEBACK, 0);
  const cell = findLine(lines, CELL, 0);
  if (cell && !(start && start.index < cell.index)) return diagnoseCell(lines, cell.index);
  const app = findLine(lines, NO_APP, 0);
  if (!start || (app && app.index < start.index)) return app && noApplication(app.index, app.match[1]!);
  const traceback = lastOfChain(lines, readTraceback(lines, start.index, start.match[1]!.length));
  if (!traceback) return null;
  const { index, exception, message, frame, isEntry } = traceback;
  if (exception.endsWith('CellExecutionError')) return diagnoseCell(lines, index);
  const name = exception.split('.').at(-1)!;
  if (isEntry) return noApplication(index, oneLine(name, message));
  // The code of a package, not that of the content.
  if (lines.slice(0, start.index).some((line) => BUILD.test(line)))
    return {
      line: oneLine(name, message),
      index,
      ...frame,
      kind: 'install',
      wording: wording(HINT_TEXTS.noBuild),
    };
  const { kind, wording: remedy } = classify(name, message);
  const line = oneLine(name, message) + (TELLS_PLACE.has(kind) ? placeOf(frame) : '');
  return compact({ line, index, ...frame, kind, wording: remedy });
}

interface Traceback {
  readonly index: number;
  readonly exception: string;
  readonly message: string;
  /** The innermost frame in a file of the content. */
  readonly frame: { file: string; at: number } | undefined;
  /** Raised while resolving the entry point, not in the content's code. */
  readonly isEntry: boolean;
}

/** Files of this server that start applications. */
const LAUNCHER = /\/launch_(?:python|tornado)\.py$/;
const ENTRY = /\/launch_python\.py", line \d+, in load$/;

/** @param indent prefix of each line, as pip indents output of its children. */
function readTraceback(lines: Lines, start: number, indent: number): Traceback | null {
  let frame: Traceback['frame'];
  let isEntry = false;
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index]!.slice(indent);
    const place = FRAME.exec(line);
    if (place && !NOT_CONTENT.test(place[1]!)) {
      isEntry = ENTRY.test(line);
      if (!LAUNCHER.test(place[1]!)) frame = { file: place[1]!, at: Number(place[2]) };
    }
    if (/^\s|^$/.test(line)) continue;
    const match = EXCEPTION.exec(line);
    if (!match) return null;
    // Its message is another traceback.
    if (match[2]?.startsWith('Traceback (')) continue;
    return { index, exception: match[1]!, message: match[2] ?? '', frame, isEntry };
  }
  return null;
}

/** The final exception; if it has no frame, the one before gives the place. */
function lastOfChain(lines: Lines, first: Traceback | null): Traceback | null {
  if (!first) return null;
  const chained = findLine(lines, CHAINED, first.index + 1, 12);
  const start = chained && findLine(lines, TRACEBACK, chained.index, 4);
  const next = start && readTraceback(lines, start.index, start.match[1]!.length);
  if (!next) return first;
  return lastOfChain(lines, { ...next, frame: next.frame ?? first.frame });
}

/** Kinds whose message says little without the place: "invalid syntax", "division by zero". */
const TELLS_PLACE: ReadonlySet<DiagnosisKind> = new Set(['code', 'syntax']);

function placeOf(frame: Traceback['frame']): string {
  return frame === undefined ? '' : ` (${frame.file.split(/[\\/]/).at(-1)}, line ${frame.at})`;
}

/** nbconvert prints the cell between two rules, followed by IPython's traceback. */
function diagnoseCell(lines: Lines, start: number): Finding {
  let from = findLine(lines, /^-{60,}$/, start)?.index ?? start + 1;
  for (;;) {
    const chained = findLine(lines, CHAINED, from + 1);
    if (!chained) break;
    from = chained.index;
  }
  const raised = findLine(lines, /^(\w*(?:Error|Exception|Exit|Interrupt|Warning|Iteration)): ?(.*)$/, from);
  const cell = Number(
    findLine(lines, /(?:Cell|Input) In ?\[(\d+)\]|<ipython-input-(\d+)-/, start)
      ?.match.slice(1)
      .find(Boolean),
  );
  if (!raised) return { line: lines[start]!.trim(), index: start, kind: 'code' };
  const [, name = '', message = ''] = raised.match;
  const suffix = cell ? ` (cell ${cell})` : '';
  return compact({
    line: oneLine(name, message) + suffix,
    index: raised.index,
    cell: cell || undefined,
    ...classify(name, message),
  });
}

const NO_APP =
  /^(?:ERROR:\s+)?(Error loading ASGI app\. .*|Failed to find (?:attribute|application) .*|Failed to parse .* as an attribute name.*)$/;

function noApplication(index: number, line: string): Finding {
  return { line, index, kind: 'start', wording: wording(HINT_TEXTS.entryPoint) };
}

function oneLine(name: string, message: string): string {
  return message === '' ? name : `${name}: ${message}`;
}

function classify(name: string, message: string): { kind: DiagnosisKind; wording?: Wording } {
  switch (name) {
    case 'ModuleNotFoundError': {
      const module = /No module named '([\w]+)/.exec(message)?.[1] ?? 'it';
      return { kind: 'missing-package', wording: wording(HINT_TEXTS.noModule, module) };
    }
    case 'ImportError': {
      const [, unknown = '', package_ = '', place = ''] =
        /cannot import name '(\w+)' from '(\w+)[\w.]*' \((.+)\)$/.exec(message) ?? [];
      if (/\/(site|dist)-packages\//.test(place))
        return { kind: 'code', wording: wording(HINT_TEXTS.noName, package_, unknown) };
      const [, module = '', file = ''] = /from (?:\S+ \S+ module )?'(\w+)' \((.+)\)$/.exec(message) ?? [];
      if (!file.endsWith(`/${module}.py`) || NOT_CONTENT.test(file)) return { kind: 'code' };
      return { kind: 'code', wording: wording(HINT_TEXTS.hidden, module) };
    }
    case 'FileNotFoundError': {
      const file = /: '(.+)'$/.exec(message)?.[1];
      const hint =
        file === undefined ? wording(HINT_TEXTS.missingFileUnnamed) : wording(HINT_TEXTS.missingFile, file);
      return { kind: 'missing-file', wording: hint };
    }
    case 'SyntaxError':
    case 'IndentationError':
    case 'TabError':
      return { kind: 'syntax', wording: wording(syntaxHint(message)) };
    case 'NotebookValidationError':
    case 'NotJSONError':
      return { kind: 'syntax', wording: wording(HINT_TEXTS.notebook) };
    case 'NoSuchKernel':
      return { kind: 'start', wording: wording(HINT_TEXTS.kernel) };
    case 'DeadKernelError':
      return { kind: 'killed', wording: wording(HINT_TEXTS.kernelDied) };
    case 'EOFError':
      if (message !== 'EOF when reading a line') return { kind: 'code' };
      return { kind: 'code', wording: wording(HINT_TEXTS.input) };
    case 'StdinNotImplementedError':
      return { kind: 'code', wording: wording(HINT_TEXTS.input) };
    case 'CellTimeoutError':
      return { kind: 'timeout', wording: wording(HINT_TEXTS.cellTimeout) };
    case 'MemoryError':
      return { kind: 'memory', wording: wording(HINT_TEXTS.memory) };
    default:
      return { kind: 'code' };
  }
}

function syntaxHint(message: string): string {
  if (message.includes("'unicodeescape' codec")) return HINT_TEXTS.backslash;
  return /'utf-8' codec|Non-UTF-8/.test(message) ? HINT_TEXTS.pythonEncoding : HINT_TEXTS.pythonSyntax;
}
