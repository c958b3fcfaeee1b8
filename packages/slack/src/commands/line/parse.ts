// Parses a line into a command with subject and options, or an error.
import { nearest } from '@pressroom/api/client';
import type { Texts } from '../../texts/en.ts';
import { parseDuration } from './duration.ts';
import { quote, type ParsedCommand } from './parsed-command.ts';
import type { OptionSyntax, Syntax } from './syntax.ts';
import { splitWords } from './words.ts';

export interface Problem {
  readonly problem: string;
  /** The command whose help applies. */
  readonly command: string | null;
  /** Complete alternative lines, without `/pressroom`. */
  readonly suggestions: readonly string[];
}

/** A name and a value; with spaces, both are in quotes. */
const VALUE = /^[\p{L}_.][\p{L}\p{N}_.]*=/u;
/** Longer than any name. */
const MAX_SUBJECT_LENGTH = 1024;

/** Syntax by command name. */
type Syntaxes<Name extends string> = Readonly<Record<Name, { readonly syntax: Syntax }>>;

/** An empty line is `help`. */
export function parseCommand<Name extends string>(
  text: string,
  commands: Syntaxes<Name | 'help'>,
  texts: Texts,
): ParsedCommand<Name | 'help'> | Problem {
  const [first, ...rest] = splitWords(text);
  if (first === undefined) return { name: 'help', subject: '', options: {}, filters: [] };
  const name = first.toLowerCase();
  if (isCommand(name, commands)) return parseRest(name, commands[name].syntax, rest, texts.parse);
  const suggestions = nearest(name, Object.keys(commands)).map((candidate) =>
    [candidate, ...rest.map(quote)].join(' '),
  );
  return { problem: texts.parse.unknownCommand(first), command: null, suggestions };
}

export function isProblem(parsed: ParsedCommand | Problem): parsed is Problem {
  return 'problem' in parsed;
}

function isCommand<Name extends string>(name: string, commands: Syntaxes<Name>): name is Name {
  return Object.hasOwn(commands, name);
}

/** Problems of a command's line. */
const problemsOf =
  (command: string) =>
  (problem: string, suggestions: readonly string[] = []): Problem => ({ problem, command, suggestions });

function parseRest<Name extends string>(
  name: Name,
  syntax: Syntax,
  words: readonly string[],
  texts: Texts['parse'],
): ParsedCommand<Name> | Problem {
  const fail = problemsOf(name);
  const parsed = parseOptions(name, syntax, words, texts);
  if ('problem' in parsed) return parsed;
  const { options, subjects } = parsed;
  const filters: string[] = [];
  const [instead, other] = (syntax.instead ?? []).filter((key) => options[key] !== undefined);
  if (instead !== undefined && other !== undefined) return fail(texts.oneOf(instead, other));
  const kept = instead === undefined ? 1 : 0;
  while (subjects.length > kept) {
    const filter = filterOf(syntax, subjects.at(-1));
    if (filter === null) break;
    filters.unshift(filter);
    subjects.pop();
  }
  const subject = subjects.join(' ').trim();
  if (subject.length > MAX_SUBJECT_LENGTH) return fail(texts.tooLong);
  if (instead !== undefined && subject !== '') return fail(texts.instead(instead));
  if (syntax.subject === 'none' && subject !== '') return fail(texts.noName(name), [name]);
  if (syntax.subject === 'required' && subject === '') return fail(texts.missing(syntax.usage));
  return { name, subject, options, filters };
}

/** Separates options from other words. */
function parseOptions(
  name: string,
  syntax: Syntax,
  words: readonly string[],
  texts: Texts['parse'],
): { options: Record<string, string | true>; subjects: string[] } | Problem {
  const fail = problemsOf(name);
  const options: Record<string, string | true> = {};
  for (const [key, option] of Object.entries(syntax.options)) {
    if ('default' in option) options[key] = option.default;
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
    const option = Object.hasOwn(syntax.options, key) ? syntax.options[key] : undefined;
    if (!option) {
      const [near] = nearest(key, Object.keys(syntax.options));
      return fail(
        texts.unknownOption(flag, name),
        near === undefined ? [] : [[name, ...words.map(quote)].join(' ').replace(`--${flag}`, `--${near}`)],
      );
    }
    if (option.type === 'flag') {
      options[key] = true;
      continue;
    }
    const given = inline ?? queue.shift();
    if (given === undefined) return fail(texts.needsValue(key));
    const value = option.type === 'choice' ? given.toLowerCase() : given;
    const wrong = wrongValue(key, option, value, texts);
    if (wrong !== null) return fail(wrong);
    options[key] = value;
  }
  return { options, subjects };
}

/** The filter that a word names, in any case, or a value as typed; null for other words. */
function filterOf({ filters = [], takesValues }: Syntax, word = ''): string | null {
  if (takesValues && VALUE.test(word)) return word;
  return filters.find((filter) => filter === word.toLowerCase()) ?? null;
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function wrongValue(key: string, option: OptionSyntax, value: string, texts: Texts['parse']): string | null {
  if (option.type === 'duration' && parseDuration(value) === null) {
    return texts.duration(key);
  }
  if (option.type === 'choice' && !option.values.includes(value)) {
    return texts.choice(key, option.values.join(', '));
  }
  if (option.type === 'number' && !/^\d{1,15}$/.test(value)) return texts.number(key);
  return null;
}
