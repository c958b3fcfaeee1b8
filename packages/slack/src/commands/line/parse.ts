// A line of words → a command with its subject and options, or what is wrong with it.
import { nearest } from './nearest.ts';
import { COMMAND_NAMES, FILTERS, shapeOf, type CommandName, type Filter, type OptionShape } from '../table.ts';
import { splitWords } from './words.ts';

export interface Command {
  readonly name: CommandName;
  /** The content, task, person or command it is about; empty when none was named. */
  readonly subject: string;
  readonly options: Readonly<Record<string, string | true>>;
  readonly filters: readonly Filter[];
}

export interface Problem {
  readonly problem: string;
  /** The command whose help may help. */
  readonly command: CommandName | null;
  /** Whole lines the person may have meant, behind `/pressroom`. */
  readonly suggestions: readonly string[];
}

/** A command that is too long cannot have been meant. */
const LONGEST_SUBJECT = 1024;

export function parseCommand(text: string): Command | Problem {
  const [first, ...rest] = splitWords(text);
  if (first === undefined) return { name: 'help', subject: '', options: {}, filters: [] };
  const name = first.toLowerCase();
  if (!isCommand(name)) {
    const near = nearest(name, COMMAND_NAMES);
    const suggestions = near.map((candidate) => [candidate, ...rest].join(' '));
    return { problem: `There is no command “${first}”.`, command: null, suggestions };
  }
  return parseRest(name, rest);
}

export function isProblem(parsed: Command | Problem): parsed is Problem {
  return 'problem' in parsed;
}

/** The line that parses to this command again. */
export function commandLine({ name, subject, options, filters }: Command): string {
  const quoted = /[\s"]/.test(subject) ? `"${subject.replaceAll('"', '')}"` : subject;
  const flags = Object.entries(options).map(([key, value]) =>
    value === true ? `--${key}` : `--${key} ${/\s/.test(value) ? `"${value}"` : value}`,
  );
  return [name, quoted, ...filters, ...flags].filter((word) => word !== '').join(' ');
}

function isCommand(name: string): name is CommandName {
  return (COMMAND_NAMES as string[]).includes(name);
}

function parseRest(name: CommandName, words: readonly string[]): Command | Problem {
  const shape = shapeOf(name);
  const fail = (problem: string, suggestions: readonly string[] = []): Problem => ({
    problem,
    command: name,
    suggestions,
  });
  const options: Record<string, string | true> = {};
  for (const [key, option] of Object.entries(shape.options)) {
    if ('standard' in option) options[key] = option.standard;
  }
  const subjects: string[] = [];
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (!word.startsWith('--')) {
      subjects.push(word);
      continue;
    }
    const [flag, inline] = splitOnce(word.slice(2), '=');
    const key = flag.toLowerCase();
    const option = shape.options[key];
    if (!option) {
      const [near] = nearest(key, Object.keys(shape.options));
      return fail(
        `${name} knows no --${flag}.`,
        near === undefined ? [] : [[name, ...words].join(' ').replace(`--${flag}`, `--${near}`)],
      );
    }
    if (option.type === 'flag') {
      options[key] = true;
      continue;
    }
    const value = inline ?? queue.shift();
    const wrong = value === undefined ? `--${key} needs a value.` : wrongValue(key, option, value);
    if (wrong !== null) return fail(wrong);
    options[key] = value!;
  }
  const filters: Filter[] = [];
  for (
    let last = subjects.at(-1);
    subjects.length > 1 && isFilter(shape.trailing, last);
    last = subjects.at(-1)
  ) {
    filters.unshift(last);
    subjects.pop();
  }
  const subject = subjects.join(' ').trim();
  if (subject.length > LONGEST_SUBJECT) return fail('That is too long to be a name.');
  if (shape.subject === 'none' && subject !== '') return fail(`${name} takes no name.`, [name]);
  if (shape.subject === 'required' && subject === '')
    return fail(`${name} needs to know: /pressroom ${shape.usage}`);
  return { name, subject, options, filters };
}

function isFilter(allowed: readonly string[] | undefined, word: string | undefined): word is Filter {
  return allowed !== undefined && (FILTERS as readonly (string | undefined)[]).includes(word);
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function wrongValue(key: string, option: OptionShape, value: string): string | null {
  if (option.type === 'duration' && parseDuration(value) === null) {
    return `--${key} takes a time such as 24h, 7d, 4w or 3m, up to two years.`;
  }
  if (option.type === 'choice' && !option.values.includes(value)) {
    return `--${key} is one of ${option.values.join(', ')}.`;
  }
  if (option.type === 'number' && !/^\d{1,15}$/.test(value)) return `--${key} takes a number.`;
  return null;
}

const UNITS: Readonly<Record<string, number>> = {
  h: 3600,
  d: 86_400,
  w: 604_800,
  m: 2_592_000,
  y: 31_536_000,
};
const LONGEST = 2 * 31_536_000;

/** Seconds of `24h`, `7d`, `4w`, `3m`, `1y`; null when it is no such time, or longer than two years. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d{1,5})([hdwmy])$/i.exec(text) ?? [];
  if (count === undefined || unit === undefined) return null;
  const seconds = Number(count) * UNITS[unit.toLowerCase()]!;
  return seconds > 0 && seconds <= LONGEST ? seconds : null;
}

/** `22-7` → the hours, UTC, in which it is quiet; null when it is no such span. */
export function parseQuiet(text: string): { from: number; to: number } | null {
  const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return null;
  const span = { from: Number(from), to: Number(to) };
  return span.from < 24 && span.to < 24 && span.from !== span.to ? span : null;
}
