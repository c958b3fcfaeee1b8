// Covers every text in every language: it uses all its arguments, and none is left in English.
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../commands/table.ts';
import type { LanguageCode } from './en.ts';
import { formatFor } from './format.ts';
import { createLanguages, TEXTS } from './languages.ts';

type Leaf = string | ((...given: unknown[]) => string);

function leavesOf(value: unknown, path = ''): [path: string, leaf: Leaf][] {
  if (typeof value === 'string' || typeof value === 'function') return [[path, value as Leaf]];
  return Object.entries(value as object).flatMap(([key, item]) => leavesOf(item, `${path}.${key}`));
}

/** Returns a value that can be recognized in a text: numbers also work as counts, words as names. */
function given(index: number, kind: 'number' | 'word'): unknown {
  return kind === 'number' ? 1000 + index : `~${index}~`;
}

function said(leaf: Leaf, kind: 'number' | 'word'): { text: string; has: number[] } {
  if (typeof leaf === 'string') return { text: leaf, has: [] };
  const all = Array.from({ length: leaf.length }, (_, i) => given(i, kind));
  const text = String(leaf(...all));
  const plain = text.replaceAll(/[.,\s%]/g, '');
  return {
    text,
    has: all.flatMap((item, i) => (plain.includes(String(item)) ? [i] : [])),
  };
}

const inAll = (code: LanguageCode) => ({
  ...TEXTS[code],
  commands: Object.fromEntries(Object.entries(COMMANDS).map(([name, { texts }]) => [name, texts[code]])),
});
const english = new Map(leavesOf(inAll('en')));
const german = new Map(leavesOf(inAll('de')));
/** Texts that are the same in both languages, or consist of arguments only. */
const SAME = new Set(
  `.words.bundle .words.details .words.name .words.status .buttons.status .commands.status.live
  .commands.status.version .commands.status.bundles .failure.code .failure.command .live.by .live.bundle
  .live.task .live.auditLog .home.subscription .commands.deploys.entry .commands.logs.text
  .commands.rollback.option .commands.rollback.bundle .commands.rollback.target .commands.status.task
  .trouble.task .bundles .number .span .percent .releases.standing .changes.headline`.split(/\s+/),
);

test('both languages have the same texts', () => {
  expect([...german.keys()].toSorted()).toEqual([...english.keys()].toSorted());
});

test('times follow no preposition for dates: Slack may show them as today or yesterday', () => {
  const timed = /^\.(releases\.step|commands\.status)\./;
  const wrong = [...english, ...german].filter(
    ([path, leaf]) => timed.test(path) && /\b(on|am) ~/i.test(said(leaf, 'word').text),
  );
  expect(wrong).toEqual([]);
});

test.each([...english.keys()].filter((path) => path !== '.code'))(
  'both languages use the same values in %s',
  (path) => {
    const [one, other] = [english.get(path)!, german.get(path)!];
    for (const kind of ['number', 'word'] as const) {
      const [en, de] = [said(one, kind), said(other, kind)];
      expect(de.has, `${en.text} – ${de.text}`).toEqual(en.has);
      for (const { text } of [en, de]) {
        expect(text).not.toBe('');
        expect(text).not.toMatch(/undefined|null|\[object/);
      }
      if (!SAME.has(path)) expect(de.text, `translate it, or add ${path} to SAME`).not.toBe(en.text);
    }
  },
);

test('every command and every option has a description', () => {
  for (const [name, { syntax, texts }] of Object.entries(COMMANDS))
    for (const { summary, options } of [texts.en, texts.de]) {
      expect(summary, name).not.toMatch(/^$|\.$/);
      expect(Object.keys(options).toSorted(), name).toEqual(Object.keys(syntax.options).toSorted());
    }
});

describe('Numbers, plurals and durations', () => {
  const [en, de] = [formatFor('en'), formatFor('de')];
  test('follow the language', () => {
    expect([en.number(12_345.5), de.number(12_345.5)]).toEqual(['12,345.5', '12.345,5']);
    expect([en.percent(0.125), de.percent(0.125)]).toEqual(['13%', '13\u00A0%']);
    expect([en.count(1, 'file', 'files'), de.count(0, 'Datei', 'Dateien')]).toEqual(['1 file', '0 Dateien']);
  });

  test('a period is written in words, a single unit in the next smaller one', () => {
    const periods = ['30d', '4w', '24h', '3m', '1d', '1w', '1y', '2Y', 'ever'];
    expect(periods.map((text) => en.period(text))).toEqual([
      '30 days',
      '4 weeks',
      '24 hours',
      '3 months',
      '24 hours',
      '7 days',
      '12 months',
      '2 years',
      'ever',
    ]);
    expect(periods.slice(0, 3).map((text) => de.period(text))).toEqual(['30 Tage', '4 Wochen', '24 Stunden']);
  });

  test('a duration shows its two largest units', () => {
    const spans = [0, 0.01, 0.44, 0.96, 42, 65, 3900, 200_000];
    expect(spans.map((seconds) => en.span(seconds))).toEqual([
      '0 sec',
      '0.1 sec',
      '0.4 sec',
      '1 sec',
      '42 sec',
      '1 min 5 sec',
      '1 hr 5 min',
      '2 days',
    ]);
    expect(spans.map((seconds) => de.span(seconds))).toEqual([
      '0 Sek.',
      '0,1 Sek.',
      '0,4 Sek.',
      '1 Sek.',
      '42 Sek.',
      '1 Min., 5 Sek.',
      '1 Std., 5 Min.',
      '2 Tage',
    ]);
  });
});

describe('Choice of language', () => {
  function made(locale: () => Promise<string | null>, usual: 'en' | 'de' = 'en') {
    const cursors = new Map<string, string>();
    const asked: string[] = [];
    const clock = { now: 0 };
    const languages = createLanguages({
      usual,
      now: () => clock.now,
      slack: {
        async user(_team, id) {
          asked.push(id);
          return { id, name: id, email: null, zone: 'UTC', locale: await locale() };
        },
      },
      store: {
        readCursor: async (id) => cursors.get(id) ?? null,
        saveCursor: async (id, position) => void cursors.set(id, position),
      },
    });
    return { languages, asked, clock };
  }

  test('a person gets the language of their Slack, requested once an hour', async () => {
    const { languages, asked, clock } = made(async () => 'de-DE');
    const codes = await Promise.all([languages.ofPerson('T', 'U'), languages.ofPerson('T', 'U')]);
    expect(codes.map(({ code }) => code)).toEqual(['de', 'de']);
    expect(asked).toEqual(['U']);
    clock.now = 3_600_001;
    await languages.ofPerson('T', 'U');
    expect(asked).toEqual(['U', 'U']);
  });

  test('an unsupported language or a failed request gives the bot’s language', async () => {
    expect((await made(async () => 'fr-FR', 'de').languages.ofPerson('T', 'U')).code).toBe('de');
    const failing = made(() => Promise.reject(new Error('down')), 'de');
    expect((await failing.languages.ofPerson('T', 'U')).code).toBe('de');
    const silent = made(() => new Promise(() => undefined), 'de');
    expect((await silent.languages.ofPerson('T', 'U')).code).toBe('de');
  });

  test('a channel gets its chosen language, and a direct message that of the person', async () => {
    const { languages } = made(async () => 'de-AT');
    expect((await languages.ofChannel('T', 'C', 'U')).code).toBe('en');
    expect((await languages.ofChannel('T', 'D', 'U')).code).toBe('de');
    await languages.choose('T', 'C', 'de');
    expect((await languages.ofChannel('T', 'C')).code).toBe('de');
    expect((await languages.ofChannel('T2', 'C')).code).toBe('en');
  });
});
