// Who may import whom (architecture.md, "Layout"), read from the imports themselves.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

interface Import {
  readonly from: string;
  /** A package name, or a path relative to the repository. */
  readonly to: string;
}

const modules = globSync('packages/*/src/**/*.ts', { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts'),
);
const imports = modules.flatMap(importsOf);

function importsOf(from: string): Import[] {
  const text = readFileSync(join(root, from), 'utf8');
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);
  return specifiers.map((specifier) => ({
    from,
    to: specifier.startsWith('.') ? relative(root, join(root, dirname(from), specifier)) : specifier,
  }));
}

const within = (folder: string) => (file: string) => file.startsWith(`packages/${folder}`);
const named =
  (...names: string[]) =>
  (name: string) =>
    names.some((wanted) => name === wanted || name.startsWith(`${wanted}/`));

/** Those who match `from` must not import what matches `to`. */
const FORBIDDEN: [string, (from: string) => boolean, (to: string) => boolean][] = [
  [
    'api imports no other package of ours',
    within('api/'),
    named('@pressroom/server', '@pressroom/slack', '@pressroom/testkit'),
  ],
  [
    'server, slack and vscode do not import each other',
    within('server/'),
    named('@pressroom/slack', '@pressroom/vscode'),
  ],
  ['the bot does not import the server', within('slack/'), named('@pressroom/server', '@pressroom/vscode')],
  [
    'the extension does not import the server',
    within('vscode/'),
    named('@pressroom/server', '@pressroom/slack'),
  ],
  ['testkit is for tests only', (f) => !within('testkit/')(f), named('@pressroom/testkit')],
  ['vscode only in packages/vscode', (f) => !within('vscode/')(f), named('vscode')],
  ['@slack/* only in packages/slack', (f) => !within('slack/')(f), named('@slack')],
  [
    'engines of storage only in storage/ and in the store of the bot (testkit makes databases)',
    (f) => !['server/src/storage/', 'slack/src/store/', 'testkit/'].some((folder) => within(folder)(f)),
    named('kysely', 'pg', 'node:sqlite'),
  ],
  [
    'storage knows nothing above it',
    within('server/src/storage/'),
    (to) => /server\/src\/(http|commands|domain)\//.test(to),
  ],
  [
    'commands and domain know nothing of HTTP',
    (f) => /server\/src\/(commands|domain)\//.test(f),
    (to) => /server\/src\/http\//.test(to),
  ],
  [
    'what runs content knows nothing of who asks for it',
    within('server/src/runtime/'),
    (to) => /server\/src\/(http|commands|proxy)\//.test(to),
  ],
  [
    'the proxy knows nothing of routes and commands',
    within('server/src/proxy/'),
    (to) => /server\/src\/(http|commands)\//.test(to),
  ],
  ['fastify only in http/', (f) => !within('server/src/http/')(f), named('fastify')],
];

test('enough modules and imports are seen for the rules to mean something', () => {
  expect(modules.length).toBeGreaterThan(150);
  expect(imports.length).toBeGreaterThan(500);
});

test.each(FORBIDDEN)('%s', (_rule, from, to) => {
  expect(imports.filter((entry) => from(entry.from) && to(entry.to))).toEqual([]);
});

test('no package reaches into another by a relative path', () => {
  const packageOf = (file: string) => file.split('/')[1];
  const across = imports.filter(
    (entry) => entry.to.startsWith('packages/') && packageOf(entry.from) !== packageOf(entry.to),
  );
  expect(across).toEqual([]);
});
