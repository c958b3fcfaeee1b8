// Checks that docs/secure/security.md and docs/secure/asvs.md are complete: every requirement, every finding, existing tests.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ASVS_REQUIREMENTS } from './asvs-requirements.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const STATES = ['met', 'partly', 'not met', 'n/a'];
const FINDINGS = 'C1 C2 H1 H2 H3 H4 H5 H6 H7 H8 M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12'.split(' ');

interface Named {
  readonly file: string;
  readonly titles: readonly string[];
}

const FILE = /`([\w./-]+\.(?:ts|js|mjs|json|md))`((?: "[^"]+")?(?:, "[^"]+")*)/g;

/** Returns the files named in a text, each with the quoted test titles behind it. */
function namedIn(text: string): Named[] {
  return [...text.matchAll(FILE)].map(([, file = '', rest = '']) => ({
    file,
    titles: [...rest.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
  }));
}

/** Returns the cells of table rows whose first cell matches. */
function rowsOf(text: string, first: RegExp): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.map((line) => line.slice(1, -1).split('|'));
  return cells.map((row) => row.map((cell) => cell.trim())).filter(([cell = '']) => first.test(cell));
}

const QUOTES = ["'", '"', '`'];

/** Returns the named files and titles that do not exist. In source, quotes of a title may be escaped. */
function missing(named: readonly Named[]): string[] {
  return named.flatMap(({ file, titles }) => {
    if (!existsSync(join(root, file))) return [file];
    const source = read(file).replaceAll(`\\'`, `'`);
    const has = (title: string) => QUOTES.some((quote) => source.includes(quote + title + quote));
    return titles.filter((title) => !has(title)).map((title) => `${file} "${title}"`);
  });
}

const isTest = ({ file, titles }: Named) => /\.test\.ts$|conformance\.ts$/.test(file) && titles.length > 0;

test.each(['docs/secure/security.md', 'docs/secure/asvs.md'])(
  '%s names files and tests that exist',
  (page) => {
    const named = namedIn(read(page));
    expect(named.filter(isTest).length).toBeGreaterThan(20);
    expect(missing(named)).toEqual([]);
  },
);

test('reports files and titles that do not exist', () => {
  const here = 'test/rules/security-docs.test.ts';
  const text = `\`test/none.test.ts\` "x", \`${here}\` "reports files and titles that do not exist", "nobody wrote ${'this'}"`;
  expect(namedIn(text)).toHaveLength(2);
  expect(missing(namedIn(text))).toEqual(['test/none.test.ts', `${here} "nobody wrote ${'this'}"`]);
});

describe('docs/secure/security.md', () => {
  const rows = rowsOf(read('docs/secure/security.md'), /^[CHM]\d+ /);

  test('has every finding of the assessment once', () => {
    expect(rows.map(([first = '']) => first.split(' ', 1)[0])).toEqual(FINDINGS);
  });

  test.each(FINDINGS)('says which test shows %s', (id) => {
    const [, , shown = ''] = rows.find(([first = '']) => first.startsWith(`${id} `)) ?? [];
    expect(namedIn(shown).filter(isTest)).not.toEqual([]);
  });

  test('names a test for every hostile party', () => {
    const [, table = ''] = /## Threat model\n([^]*?)\n## /.exec(read('docs/secure/security.md')) ?? [];
    const parties = rowsOf(table, /^(?!attacker|---)/);
    expect(parties).toHaveLength(28);
    for (const [who, , , shown = ''] of parties) expect(namedIn(shown).filter(isTest), who).not.toEqual([]);
  });
});

describe('docs/secure/asvs.md', () => {
  const page = read('docs/secure/asvs.md');
  const rows = rowsOf(page, /^V\d+\.\d+\.\d+$/);

  test('has every requirement of levels 1 and 2 once, in order', () => {
    expect(ASVS_REQUIREMENTS).toHaveLength(253);
    expect(rows.map(([id]) => id)).toEqual(ASVS_REQUIREMENTS);
  });

  test('each row has a topic, a state, and where that is shown', () => {
    const bad = rows.filter(
      ([, topic = '', state = '', shown = '', ...more]) =>
        topic === '' || !STATES.includes(state) || shown === '' || more.length > 0,
    );
    expect(bad).toEqual([]);
  });

  test('each requirement that is met names a test or a file', () => {
    const met = rows.filter(([, , state]) => state === 'met');
    expect(met.filter(([, , , shown = '']) => namedIn(shown).length === 0)).toEqual([]);
  });

  test('the summary has the right counts', () => {
    const counts = STATES.map((state) => [state, String(rows.filter((row) => row[2] === state).length)]);
    expect(rowsOf(page, /^(met|partly|not met|n\/a|all)$/)).toEqual([...counts, ['all', '253']]);
  });

  test('the list of unmet requirements matches the table', () => {
    const [, list = ''] = /## Not met\n([^]*?)\n## /.exec(page) ?? [];
    const listed = [...list.matchAll(/^- (V[\d.]+), /gm)].map(([, id]) => id);
    expect(listed).toEqual(rows.filter((row) => row[2] === 'not met').map(([id]) => id));
  });
});
