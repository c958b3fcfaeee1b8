// Checks the layers of this package: each folder imports only folders above it, and no imports are circular.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  backup: [],
  contract: [],
  client: ['contract'],
  publish: ['contract', 'client'],
  usage: ['contract', 'client'],
  'sign-in': ['contract', 'client'],
};

const files = globSync('**/*.ts', { cwd: import.meta.dirname }).filter((file) => !file.endsWith('.test.ts'));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  return [...text.matchAll(/\bfrom '(\.[^']+)'/g)].map((match) => join(dirname(file), match[1]!));
}

const roomOf = (file: string) => file.split('/')[0]!;

test('every folder is a listed room', () => {
  const rooms = new Set(files.filter((file) => file.includes('/')).map(roomOf));
  expect([...rooms].toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
});

test.each(Object.entries(MAY_IMPORT))('%s imports only itself and %j', (room, above) => {
  const others = files
    .filter((file) => roomOf(file) === room)
    .flatMap((file) => (imports.get(file) ?? []).map((to) => [file, to]))
    .filter(([, to]) => roomOf(to!) !== room && !above.includes(roomOf(to!)));
  expect(others).toEqual([]);
});

test('no files import each other in a cycle', () => {
  const finished = new Set<string>();
  const circles: string[][] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file]);
    if (finished.has(file) || path.includes(file)) return;
    for (const to of imports.get(file) ?? []) visit(to, [...path, file]);
    finished.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});
