import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inline } from '../../blocks/text.ts';
import { parseQuiet } from '../../deliver/subscriptions/quiet.ts';
import { en } from '../../texts/en.ts';
import { COMMAND_NAMES, COMMANDS } from '../table.ts';
import { matchContent, mayBeTask, readReference } from './content-reference.ts';
import { parseDuration } from './duration.ts';
import { isProblem, parseCommand } from './parse.ts';
import { commandLine, type ParsedCommand } from './parsed-command.ts';
import { mentionedUser, splitWords } from './words.ts';

const parsed = (text: string): ParsedCommand => {
  const result = parseCommand(text, COMMANDS, en);
  if (isProblem(result)) throw new Error(result.problem);
  return result;
};
const problem = (text: string) => {
  const result = parseCommand(text, COMMANDS, en);
  if (!isProblem(result)) throw new Error(`${text} was understood`);
  return result;
};

describe('splitWords', () => {
  test('keeps a phrase in curly quotes together and reads an em dash as an option', () => {
    expect(splitWords('status “Sales Report” —last 7d')).toEqual(['status', 'Sales Report', '--last', '7d']);
  });

  test.each([
    ["lock x --reason 'it broke'", ['lock', 'x', '--reason', 'it broke']],
    ['lock x --reason ‘it’s broken’ --for 7d', ['lock', 'x', '--reason', 'it’s broken', '--for', '7d']],
    ["lock x --reason='it broke'", ['lock', 'x', '--reason=it broke']],
    ['lock x --reason="it broke"', ['lock', 'x', '--reason=it broke']],
    ["render x region='New York'", ['render', 'x', 'region=New York']],
    ["status Ada's and Bob's 'report", ['status', "Ada's", 'and', "Bob's", "'report"]],
    ["status dogs' and 'tis", ['status', "dogs'", 'and', "'tis"]],
  ])('reads quotes as people type them: %s', (line, words) => {
    expect(splitWords(line)).toEqual(words.map((word) => word.replaceAll('’', "'")));
  });

  test('removes the labels that Slack adds to links, emails and mentions', () => {
    expect(
      splitWords('a <https://x.example/content/1/|x> <mailto:a@b.example|a@b.example> <@U1A|ada>'),
    ).toEqual(['a', 'https://x.example/content/1/', 'a@b.example', '<@U1A>']);
    expect(mentionedUser('<@U1A>')).toBe('U1A');
    expect(mentionedUser('U1A')).toBeNull();
  });
});

describe('parseCommand', () => {
  test('accepts the examples of every command', () => {
    for (const [name, { syntax }] of Object.entries(COMMANDS)) {
      for (const example of syntax.examples) expect(parsed(example).name, example).toBe(name);
    }
  });

  test('reads an empty line as help', () => {
    expect(parsed('  ').name).toBe('help');
  });

  test('reads a title of several words without quotes, and trailing filters separately', () => {
    expect(parsed('subscribe Sales Report failures usage-weekly')).toMatchObject({
      subject: 'Sales Report',
      filters: ['failures', 'usage-weekly'],
    });
    expect(parsed('subscribe failures').subject).toBe('failures');
    expect(parsed('subscribe Sales Failures USAGE-weekly')).toMatchObject({
      subject: 'Sales',
      filters: ['failures', 'usage-weekly'],
    });
  });

  test('reads filters beside an option that takes the place of the subject, and no subject', () => {
    const found = parsed('subscribe --owner me failures');
    expect(found).toMatchObject({ subject: '', options: { owner: 'me' }, filters: ['failures'] });
    expect(parsed(commandLine(found))).toEqual(found);
    expect(parsed('subscribe failures --all').filters).toEqual(['failures']);
    expect(problem('subscribe --tag Finance Europe').problem).toContain('in quotes');
    expect(problem('subscribe sales --all').problem).toContain('--all takes the place of a name');
    expect(problem('subscribe --type shiny --all').problem).toBe('--all and --type cannot be combined.');
  });

  test('reads values after the subject, and the same from its own command line', () => {
    const found = parsed('render sales report region=North "city=New York" --variant West');
    expect(found).toEqual({
      name: 'render',
      subject: 'sales report',
      options: { variant: 'West' },
      filters: ['region=North', 'city=New York'],
    });
    expect(parsed(commandLine(found))).toEqual(found);
    expect(parsed('status region=North')).toMatchObject({ subject: 'region=North', filters: [] });
  });

  test('gives options a default, and reads a value after a space or =', () => {
    expect(parsed('usage').options).toEqual({ last: '30d', by: 'day' });
    expect(parsed('usage x --by=week --last 90d').options).toEqual({ last: '90d', by: 'week' });
  });

  test('suggests what a mistyped command or option meant', () => {
    // The slash command is a setting.
    expect(problem('who').problem).toBe('Missing argument. Usage: who <content>');
    expect(problem('stauts sales').suggestions).toContain('status sales');
    expect(problem('usage --lats 7d').suggestions).toEqual(['usage --last 7d']);
  });

  test.each([
    ['lcok sales --reason "Quarter-end freeze"', 'lock'],
    ['lock sales --raeson “Quarter-end freeze”', 'lock'],
    ['lock sales --raeson="Quarter-end freeze"', 'lock'],
    ["stauts 'Sales report'", 'status'],
  ])('a suggestion for %s means the same', (text, name) => {
    const [suggestion = ''] = problem(text).suggestions;
    const meant = text.replace(/^lcok|^stauts/, name).replace('raeson', 'reason');
    expect(parsed(suggestion)).toEqual(parsed(meant));
  });

  test.each([
    'deploy',
    'usage --last soon',
    'usage --by month',
    'usage --by',
    'deploy x --bundle y',
    'link now',
    `status ${'x'.repeat(2000)}`,
  ])('returns a problem for %.30s and does not throw', (text) => {
    expect(problem(text).problem).not.toBe('');
  });

  test('reads any text as a command or a problem, and a command the same from its line', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .constantFrom(...COMMAND_NAMES)
            .chain((name) => fc.string({ unit: 'binary' }).map((rest) => `${name} ${rest}`)),
        ),
        (text) => {
          const result = parseCommand(text, COMMANDS, en);
          if (isProblem(result)) return;
          const again = parseCommand(commandLine(result), COMMANDS, en);
          expect(isProblem(again) ? again.problem : again.name).toBe(result.name);
        },
      ),
    );
  });

  test('parses durations and quiet hours within their limits', () => {
    expect(parseDuration('24h')).toBe(86_400);
    for (const wrong of ['0d', '9y', '7', 'd', '-1d', '7 d']) expect(parseDuration(wrong)).toBeNull();
    expect(parseQuiet('22-7')).toEqual({ from: 22, to: 7 });
    for (const wrong of ['22', '7-7', '24-7', 'a-b']) expect(parseQuiet(wrong)).toBeNull();
  });
});

describe('Content references', () => {
  const item = (name: string, title: string | null = null) => ({
    guid: `guid-${name}`,
    name,
    title,
    url: `http://s/content/${name}/`,
  });
  const items = [item('sales', 'Sales report'), item('sales-eu', 'Sales report Europe'), item('staff')];

  test('contain a GUID anywhere in a URL', () => {
    const guid = 'C0FFEE00-0000-4000-8000-000000000001';
    expect(readReference(`https://s/connect/#/apps/${guid}/access`)).toEqual({
      kind: 'guid',
      guid: guid.toLowerCase(),
    });
    expect(readReference('sales')).toEqual({ kind: 'words', words: 'sales' });
  });

  test('prefer a full name to part of a title, and keep several matches', () => {
    expect(matchContent('SALES', items)).toMatchObject({ kind: 'one', item: { name: 'sales' } });
    expect(matchContent('sales report', items)).toMatchObject({ kind: 'one', item: { name: 'sales' } });
    expect(matchContent('report', items)).toMatchObject({ kind: 'several' });
    expect(matchContent('http://s/content/staff', items)).toMatchObject({
      kind: 'one',
      item: { name: 'staff' },
    });
  });

  test.each([
    'Ada’s report',
    'Umsatz „Nord“',
    "'Nord' and 'South'",
    "Rock 'n' Roll",
    'Sales "Q1" report',
    'Sales  report',
    'a*b ~c',
    '`code` tour',
    'مبيعات\u200F 2024',
    ':rocket: Launch :rocket:',
    '_draft_ of _targets',
  ])('find the title %s as it is typed, and as the bot shows it', (title) => {
    for (const typed of [title, inline(title)])
      expect(matchContent(parsed(`status ${typed}`).subject, [item('x', title)]), typed).toMatchObject({
        kind: 'one',
      });
  });

  test.each(['GRÖSSE', 'größe', 'GRÖẞE', 'Grösse'])('find Größe as %s', (typed) => {
    expect(matchContent(typed, [item('x', 'Größe')])).toMatchObject({ kind: 'one' });
  });

  test('name the nearest content when nothing matches', () => {
    expect(matchContent('stafff', items)).toEqual({ kind: 'none', nearest: ['staff'] });
    expect(matchContent('', items)).toMatchObject({ kind: 'none' });
  });

  test('may be a task id with 16 letters and digits', () => {
    for (const id of ['Ab3dEf6hIj9lMn2p', 'AXLqhKpbOMYEvvUk', 'quarterlyreports'])
      expect(mayBeTask(id)).toBe(true);
    for (const name of ['my-sales-reports', 'report', '']) expect(mayBeTask(name)).toBe(false);
  });
});
