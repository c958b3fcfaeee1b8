// Covers the common parts of all messages: notes, limits, and escaping of text.
import { content, many, misfit, nasty, pings } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TEXTS } from '../texts/languages.ts';
import { table } from './blocks.ts';
import { fit } from './fit.ts';
import { failureMessage, note, notFoundMessage, pickerMessage } from './notes.ts';
import { clean, codeBlock, cutEscaped, escape, inline, line, link } from './text.ts';

const LANGUAGES = Object.values(TEXTS);

describe('Shared messages', () => {
  test('a note fits Slack’s limits and mentions nobody', () => {
    expect(misfit(nasty.map((text) => note(inline(text, 5000))))).toBeNull();
  });

  test.each(LANGUAGES)('$code: a failure fits Slack’s limits and mentions nobody', (texts) => {
    expect(misfit(nasty.map((text) => failureMessage(new Error(text), text, texts)))).toBeNull();
  });

  test.each(LANGUAGES)('$code: a picker fits Slack’s limits and mentions nobody', (texts) => {
    const several = many(content).filter((items) => items.length > 0);
    expect(
      misfit(fc.tuple(nasty, several).map(([words, items]) => pickerMessage(words, items, 'p1', texts))),
    ).toBeNull();
  });

  test('a picker counts all matches and offers a hundred', () => {
    const choices = (n: number) =>
      Array.from({ length: n }, (_, i) => ({ guid: `g${i}`, name: `many-${i}`, title: null }));
    const shown = (n: number) => JSON.stringify(pickerMessage('many', choices(n), 'p1', TEXTS.en));
    expect(shown(150)).toContain('150 content items');
    expect(shown(150)).toContain('Only the first 100');
    expect(shown(150)).not.toContain('many-100');
    expect(shown(100)).not.toContain('Only the first 100');
  });

  test('a picker of long names says what it is about, too', () => {
    const guid = '00000000-0000-4000-8000-000000000000';
    const choices = Array.from({ length: 150 }, (_, i) => ({
      guid,
      name: `many-${i}`,
      title: 'x'.repeat(99),
    }));
    const shown = JSON.stringify(pickerMessage('many', choices, 'p1', TEXTS.en));
    for (const text of ['150 content items', 'Only the first 100']) expect(shown).toContain(text);
  });

  test.each(LANGUAGES)('$code: a not-found message fits Slack’s limits and mentions nobody', (texts) => {
    const near = fc.array(fc.record({ name: nasty, line: nasty }), { maxLength: 3 });
    expect(
      misfit(fc.tuple(nasty, near).map(([words, names]) => notFoundMessage(words, names, texts))),
    ).toBeNull();
  });

  test('keeps the buttons at the end when other blocks do not fit', () => {
    const message = fit({
      text: 'x',
      blocks: [
        ...Array.from({ length: 200 }, () => ({
          type: 'section' as const,
          text: { type: 'mrkdwn' as const, text: 'x'.repeat(2000) },
        })),
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'a', text: { type: 'plain_text', text: 'Go' } }],
        },
      ],
    });
    expect(message.blocks.at(-1)?.type).toBe('actions');
    expect(JSON.stringify(message)).toContain('… +196');
  });
});

describe('Text', () => {
  test('cutting never splits a character, an entity, a link or a code block', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 10, max: 300 }), (text, most) => {
        const cut = cutEscaped(`${escape(text)} ${link('https://h/', text)} ${codeBlock([text], 200)}`, most);
        expect(cut.length).toBeLessThanOrEqual(most);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut).not.toMatch(/&(?!amp;|lt;|gt;)/);
        expect(cut.split('<').length).toBe(cut.split('>').length);
        expect(cut.split('```').length % 2).toBe(1);
      }),
    );
  });

  test('a cut just behind a fence leaves no single fence', () => {
    const text = `12345 ${codeBlock(['code'], 200)} after`;
    const closes = [...text.matchAll(/```/g)].map(({ index }) => index + 3);
    for (const at of closes) expect(cutEscaped(text, at + 5).split('```').length % 2, `cut at ${at}`).toBe(1);
  });

  test('a cut creates no mention', () => {
    expect(pings({ text: line('@everyonegnirts', '@everyone'.length + 1) })).toEqual([]);
  });

  test('names show no emoji and no formatting', () => {
    for (const text of [line(':rocket: :+1: x'), inline(':rocket: :+1: x')])
      expect(text).toBe(':\u2060rocket: :\u2060+1: x');
    expect(inline('_draft_ of sales_report')).toBe('_\u2060draft_\u2060 of sales_report');
    expect(inline('at 10:30, fix: typo')).toBe('at 10:30, fix: typo');
  });

  test('link accepts only web addresses', () => {
    expect(link('javascript:alert(1)', 'x')).toBe('x');
    expect(link('https://h/a|b>c', 'x|y')).toBe('<https://h/a%7Cb%3Ec|x¦y>');
  });

  test('a code block shows the last lines that fit, without colours', () => {
    const block = codeBlock(
      ['first', ...Array.from({ length: 100 }, () => 'x'.repeat(100)), '\u001B[31mlast'],
      500,
    );
    expect(block).toContain('last');
    expect(block).not.toContain('first');
    expect(block).not.toContain('[31m');
    expect(clean('a\u202Eb\u061C@here')).toBe('ab@\u2060here');
  });
});

test('a truncated table says so, and its times are in the reader’s time zone', () => {
  const rows = Array.from({ length: 150 }, (_, i) => [`row ${i}`, { time: i * 1000 }]);
  const [block] = fit({ text: 'x', blocks: [table(rows)] }).blocks as unknown as {
    rows: { type: string; text?: string }[][];
  }[];
  expect(block!.rows.length).toBeLessThanOrEqual(100);
  expect(block!.rows[0]![1]!.type).toBe('rich_text');
  expect(block!.rows.at(-1)![0]!.text).toBe(`… +${150 - block!.rows.length + 1}`);
});
