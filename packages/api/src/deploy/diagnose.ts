// Why a deploy failed, read from its output: the line that says it in R or Python, and what to do about known causes.
import { createCauseFinder } from './cause.ts';

export type CauseKind =
  | 'missing-package'
  | 'wrong-r'
  | 'wrong-python'
  | 'missing-file'
  | 'timeout'
  | 'memory'
  | 'syntax'
  | 'permission'
  | 'no-engine'
  | 'other';

export interface Diagnosis {
  kind: CauseKind;
  /** The line that says what went wrong. */
  line: string;
  /** Its place in the output, from 0. */
  index: number;
  /** What to do, in a sentence; empty where nothing is known. */
  hint: string;
  /** First and last line of the traceback that leads to it, from 0; null without one. */
  traceback: { from: number; to: number } | null;
}

/** Characters of a line that are looked at. */
const LONGEST_LINE = 2000;

interface Known {
  readonly kind: CauseKind;
  readonly pattern: RegExp;
  /** `$1` is what the pattern's group found. */
  readonly hint: string;
}

const KNOWN: readonly Known[] = [
  {
    kind: 'missing-package',
    pattern: /ModuleNotFoundError: No module named ['"]([^'"]+)['"]/,
    hint: 'Add $1 to requirements.txt and publish again.',
  },
  {
    kind: 'missing-package',
    pattern: /there is no package called [‘'"`]([^’'"`]+)[’'"`]/,
    hint: 'Install $1 where you publish from, load it with library(), and publish again, so that the manifest names it.',
  },
  {
    kind: 'missing-package',
    pattern: /(?:package or namespace load failed for|dependenc\w+) [‘'"]([\w.]+)[’'"]/,
    hint: 'The package $1 could not be loaded: update it, and what it needs, in the manifest.',
  },
  {
    kind: 'missing-package',
    pattern:
      /(?:No matching distribution found for|Could not find a version that satisfies the requirement) (\S+)/,
    hint: 'No index the server knows has $1: check its name and version in requirements.txt.',
  },
  {
    kind: 'wrong-r',
    pattern:
      /\bR(?: version)? [v']?(\d+\.\d+(?:\.\d+)?)'?.{0,60}(?:not (?:installed|available|found)|no (?:matching|compatible))/i,
    hint: 'The server has no R $1: publish with a version it has.',
  },
  {
    kind: 'wrong-r',
    pattern:
      /(?:no (?:matching|compatible|suitable) R\b|built under R version|requires R \(?>=? ?)(?:\D{0,20}(\d[\d.]*))?/i,
    hint: 'The content wants another version of R than the server has: publish with one it has.',
  },
  {
    kind: 'wrong-python',
    pattern:
      /\bPython(?: version)? [v']?(\d+\.\d+(?:\.\d+)?)'?.{0,60}(?:not (?:installed|available|found)|no (?:matching|compatible))/i,
    hint: 'The server has no Python $1: publish with a version it has.',
  },
  {
    kind: 'wrong-python',
    pattern:
      /(?:no (?:matching|compatible|suitable) Python\b|Requires-Python|requires a different Python)(?:\D{0,20}(\d[\d.]*))?/i,
    hint: 'The content wants another version of Python than the server has: publish with one it has.',
  },
  {
    kind: 'missing-file',
    pattern: /FileNotFoundError: .*?['"]([^'"]+)['"]/,
    hint: 'Publish $1 along, and name it relative to the content.',
  },
  {
    kind: 'missing-file',
    pattern: /cannot open file [‘'"]([^’'"]+)[’'"]/,
    hint: 'Publish $1 along, and name it relative to the content.',
  },
  {
    kind: 'missing-file',
    pattern:
      /[‘'"]([^’'"]+)[’'"] does not exist in current working directory|path does not exist: [‘'"]?([^’'"]+)/i,
    hint: 'Publish $1 along, and name it relative to the content.',
  },
  {
    kind: 'missing-file',
    pattern: /No such file or directory/,
    hint: 'A file is not in the bundle: publish it along, and name it relative to the content.',
  },
  {
    kind: 'timeout',
    pattern: /\btimed? ?out\b|\btimeout (?:of|after|exceeded|expired)\b|did not start within/i,
    hint: 'It took longer than the server allows: do slow work before publishing, or raise the timeout of the content.',
  },
  {
    kind: 'memory',
    pattern:
      /MemoryError|cannot allocate (?:vector|memory)|out of memory|OOM|exit(?:ed)? (?:code|status) 137|\bKilled\b/,
    hint: 'It needed more memory than the server gives: work on less data at a time.',
  },
  {
    kind: 'permission',
    pattern: /PermissionError|Permission denied/,
    hint: 'The content may not read or write that: keep to its own directory.',
  },
  {
    kind: 'syntax',
    pattern:
      /(?:SyntaxError|IndentationError): |unexpected (?:symbol|string constant|numeric constant|end of input|['"])/,
    hint: 'The code does not parse: run it where you wrote it first.',
  },
  {
    kind: 'no-engine',
    pattern: /no engine|cannot run content of type|needs .{1,40} which is not installed/i,
    hint: 'The server lacks what runs this kind of content: ask its administrator.',
  },
];

/** Looks at lines as they come; keeps none but those it may answer. */
export function createDiagnoser() {
  const causes = createCauseFinder();
  let index = -1;
  let traceback: { from: number; to: number } | null = null;
  let open: number | null = null;
  let raised: { line: string; index: number } | null = null;
  let known: { found: Known; match: RegExpExecArray; line: string; index: number } | null = null;

  function python(line: string): void {
    if (/^\s*Traceback \(most recent call last\)/.test(line)) {
      open = index;
      return;
    }
    if (open === null || line === '' || /^\s/.test(line)) return;
    // The first line that is not indented any more says what was raised; the last traceback is the one that ended it.
    traceback = { from: open, to: index };
    raised = { line, index };
    open = null;
  }

  return {
    look(raw: string): void {
      index += 1;
      const line = raw.slice(0, LONGEST_LINE);
      python(line);
      causes.look({ type: 'log', line, index });
      const inTraceback = raised?.index === index;
      if (known !== null && !inTraceback) return;
      for (const found of KNOWN) {
        const match = found.pattern.exec(line);
        if (!match) continue;
        known = { found, match, line, index };
        return;
      }
    },
    result(): Diagnosis | null {
      const line = known ?? raised ?? causes.found;
      if (line === null) return null;
      return {
        kind: known?.found.kind ?? 'other',
        line: line.line.trim(),
        index: line.index,
        hint: known ? fill(known.found.hint, known.match) : '',
        traceback: traceback?.to === line.index ? traceback : null,
      };
    },
  };
}

/** Why it failed, as far as the output says; null when nothing in it looks like a cause. */
export function diagnose(lines: Iterable<string>): Diagnosis | null {
  const diagnoser = createDiagnoser();
  for (const line of lines) diagnoser.look(line);
  return diagnoser.result();
}

function fill(hint: string, match: RegExpExecArray): string {
  return hint.replace('$1', () => match.slice(1).find((group) => group !== undefined) ?? 'it');
}
