// Covers output: text of a server controls no terminal.
import { expect, test } from 'vitest';
import { createTerminal, table } from './terminal.ts';

test('JSON has no character that controls a terminal, and the same content', () => {
  let printed = '';
  const stream = { write: (text: string) => (printed += text) };
  const terminal = createTerminal({ stdout: stream, stderr: stream, now: () => 0 });
  const value = { name: 'a\u001B[2J\u009B2J\u0085\u007F\u202Eb' };
  for (const print of [terminal.printJson, terminal.noteJson]) {
    printed = '';
    print(value);
    expect(printed.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(JSON.parse(printed)).toEqual(value);
  }
});

test('progress is drawn again after the clock was set back', () => {
  let drawn = '';
  let time = 1e6;
  const stderr = { write: (text: string) => (drawn += text), isTTY: true };
  const terminal = createTerminal({ stdout: { write: () => 0 }, stderr, now: () => time });
  terminal.progress('Uploading', 0.1, '');
  time = 0;
  terminal.progress('Uploading', 0.5, '');
  expect(drawn).toContain('50 %');
});

test('output of packages is no command of a CI job', () => {
  let printed = '';
  const stream = { write: (text: string) => (printed += text) };
  const hostile = [
    '::set-output name=url::https://evil.example',
    '  ::add-mask::the',
    'Building ##[set-env name=PATH]/tmp',
    '##vso[task.setvariable variable=PATH]/tmp',
    "##teamcity[setParameter name='env.PATH' value='/tmp']",
  ];
  for (const isCi of [true, false]) {
    const terminal = createTerminal({ stdout: stream, stderr: stream, now: () => 0, isCi });
    for (const line of hostile) {
      printed = '';
      terminal.note(line);
      terminal.print(`first\n${line}`);
      expect(/^\s*::|##\w*\[/m.test(printed)).toBe(!isCi);
      printed = '';
      terminal.printJson({ line });
      expect(printed).not.toMatch(/^\s*::|##\w*\[/m);
      expect(JSON.parse(printed)).toEqual({ line });
    }
  }
});

test('progress shows the end of its line on a terminal that reports no width', () => {
  let printed = '';
  const stderr = { write: (text: string) => (printed += text), isTTY: true, columns: 0 };
  createTerminal({ stdout: stderr, stderr, now: () => 0 }).progress('Uploading', 0, '0 B of 13.9 kB');
  expect(printed).toMatch(/13\.9 kB$/);
});

test('columns are aligned as a terminal shows them: some characters take two places, marks take none', async () => {
  const rows = [
    ['TITLE', 'TYPE'],
    ['売上レポート', 'page'],
    ['매출', 'page'],
    ['📊 Zu\u0308rich', 'page'],
    ['ﾃｽﾄ', 'page'],
  ];
  expect(await table(rows)).toEqual([
    'TITLE         TYPE',
    '売上レポート  page',
    '매출          page',
    '📊 Zu\u0308rich     page',
    'ﾃｽﾄ           page',
  ]);
});
