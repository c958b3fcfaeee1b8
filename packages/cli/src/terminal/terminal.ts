// Output: results to standard output, progress to standard error, as a bar on a terminal and as lines elsewhere.
import { printable } from '@pressroom/api/publish';
import { wrapLine } from './wrap-line.ts';

export interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

export interface Terminal {
  /** Prints one or more lines of the result. */
  print(line: string): void;
  /** Prints help, wrapped on a narrow terminal. */
  printHelp(text: string): void;
  /** One JSON document on one line. */
  printJson(value: unknown): void;
  /** Prints a line about progress or a problem to standard error. */
  note(line: string): void;
  /** The same as `printJson`, to standard error. */
  noteJson(value: unknown): void;
  /** Shows progress, 0 to 1; without a terminal, a line at every quarter. */
  progress(label: string, fraction: number, detail: string): void;
  /** Ends the bar. */
  endProgress(): void;
}

const BAR_WIDTH = 24;
/** Milliseconds between two redraws of the bar. */
const REDRAW = 80;

interface TerminalOptions {
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Milliseconds, to limit redraws. */
  readonly now: () => number;
  /** Whether the output goes to the log of a CI job, which takes some lines as commands. */
  readonly isCi?: boolean;
}

export function createTerminal({ stdout, stderr, now, isCi = false }: TerminalOptions): Terminal {
  const plain = (line: string) => (isCi ? withoutCommands(printable(line)) : printable(line));
  let drawn = false;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let step = '';
  const clear = () => {
    if (drawn) stderr.write('\r\u001B[K');
    drawn = false;
  };
  return {
    print(line) {
      clear();
      stdout.write(`${line.split('\n').map(plain).join('\n')}\n`);
    },
    printHelp(text) {
      const width = stdout.isTTY === true ? stdout.columns || 80 : Infinity;
      const lines = text.split('\n').flatMap((line) => wrapLine(line, width));
      stdout.write(`${lines.join('\n')}\n`);
    },
    printJson(value) {
      clear();
      stdout.write(`${plainJson(value)}\n`);
    },
    note(line) {
      clear();
      stderr.write(`${plain(line)}\n`);
    },
    noteJson(value) {
      clear();
      stderr.write(`${plainJson(value)}\n`);
    },
    progress(label, fraction, detail) {
      const share = Math.min(1, Math.max(0, fraction));
      if (stderr.isTTY !== true) {
        const quarter = `${label} ${Math.floor(share * 4) * 25} %`;
        if (quarter === step) return;
        step = quarter;
        stderr.write(`${plain(`${quarter} (${detail})`)}\n`);
        return;
      }
      // The clock may have been set back.
      if (Math.abs(now() - drawnAt) < REDRAW && share < 1) return;
      drawnAt = now();
      const filled = Math.round(share * BAR_WIDTH);
      const bar = `${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}`;
      const line = `${label} [${bar}] ${Math.floor(share * 100)} % ${detail}`;
      stderr.write(`\r\u001B[K${printable(line).slice(0, (stderr.columns || 80) - 1)}`);
      drawn = true;
    },
    endProgress: clear,
  };
}

/**
 * What packages and servers print must not set variables of the job: `::command::` at the beginning of a line (GitHub),
 * and `##[command]` or `##vso[command]` anywhere (GitHub, Azure, TeamCity).
 */
function withoutCommands(line: string): string {
  return line.replace(/^(\s*:)(?=:)/, '$1 ').replaceAll(/##(?=\w*\[)/g, '# #');
}

/** JSON escapes some of the characters that control a terminal, and not those from U+007F on; nor commands as above. */
function plainJson(value: unknown): string {
  const escaped = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[\p{Cc}\p{Bidi_Control}]|(?<=#)#(?=\w*\[)/gu, escaped);
}

/** Bytes in readable units; empty where a server does not report them. */
export function bytesText(bytes: number): string {
  if (!Number.isFinite(bytes)) return '';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** Rows as aligned columns. */
export async function table(rows: readonly (readonly string[])[]): Promise<string[]> {
  const clean = rows.map((row) => row.map((cell) => printable(cell)));
  const widthOf = await measure(clean.flat());
  const widths: number[] = [];
  for (const row of clean) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  return clean.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** How to count the columns of these cells. The library takes a tenth of the time that a command takes to start. */
async function measure(cells: readonly string[]): Promise<(cell: string) => number> {
  const isPlain = cells.every((cell) => /^[\x20-\x7e]*$/.test(cell));
  return isPlain ? ({ length }) => length : (await import('string-width')).default;
}
