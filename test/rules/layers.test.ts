// Checks which modules import which (CONTRIBUTING.md, "Where things are"), by their import statements.
import { globSync, readdirSync, readFileSync } from 'node:fs';
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

/** Matches packages of this repository except these. */
const ofOurs =
  (...allowed: string[]) =>
  (name: string) =>
    name.startsWith('@pressroom/') && !allowed.includes(name.split('/')[1]!);

const inServer = within('server/src/');
/** Matches files of a top-level folder of the server. */
const room = (name: string) => within(`server/src/${name}/`);
const isStore = (file: string) => inServer(file) && /(^|-|\/)store\.ts$/.test(file);
/** The composition root, except the settings, which are known everywhere. */
const composes = (to: string) => room('main')(to) && !room('main/config')(to);

/** Files that match `from` must not import what matches `to`. */
const FORBIDDEN: [string, (from: string) => boolean, (to: string) => boolean][] = [
  ['api imports no other package of this repository', within('api/'), ofOurs()],
  ['node-sqlite imports no other package of this repository', within('node-sqlite/'), ofOurs()],
  ['the command line imports api only', within('cli/'), ofOurs('api')],
  ['the server imports api and node-sqlite only', within('server/'), ofOurs('api', 'node-sqlite')],
  ['the bot imports api and node-sqlite only', within('slack/'), ofOurs('api', 'node-sqlite')],
  ['the extension imports api only', within('vscode/'), ofOurs('api')],
  ['testkit is for tests only', (f) => !within('testkit/')(f), named('@pressroom/testkit')],
  ['vscode only in packages/vscode', (f) => !within('vscode/')(f), named('vscode')],
  ['@slack/* only in packages/slack', (f) => !within('slack/')(f), named('@slack')],
  [
    'only platform/ and stores access databases (testkit creates them)',
    (f) =>
      !isStore(f) &&
      !['server/src/platform/', 'slack/src/store/', 'node-sqlite/', 'testkit/'].some((folder) =>
        within(folder)(f),
      ),
    named('kysely', 'pg', 'node:sqlite'),
  ],
  [
    'a store imports only stores and platform/',
    isStore,
    (to) => inServer(to) && !isStore(to) && !room('platform')(to),
  ],
  [
    'platform/ imports no other folder of the server',
    room('platform'),
    (to) => inServer(to) && !room('platform')(to),
  ],
  [
    'only main/ composes the server',
    (f) => inServer(f) && !room('main')(f) && !f.endsWith('src/index.ts'),
    composes,
  ],
  [
    'commands, policies and presenters import neither routes nor the dashboard',
    (f) => /\/(commands|policy|present|rules)\.ts$/.test(f),
    (to) => /\/routes?\.ts$|-route\.ts$/.test(to) || room('dashboard')(to),
  ],
  [
    'runtime/ imports neither http, visitors, dashboard nor sign-in',
    room('runtime'),
    (to) => ['http', 'visitors', 'dashboard', 'sign-in'].some((name) => room(name)(to)),
  ],
  [
    'only main/ imports the dashboard',
    (f) => inServer(f) && !room('main')(f) && !room('dashboard')(f),
    room('dashboard'),
  ],
  [
    'only http/, routes and sign-in pages import fastify',
    (f) => inServer(f) && !room('http')(f) && !/route\.ts$|mount-routes\.ts$|sign-in\/pages\//.test(f),
    named('fastify'),
  ],
];

test('the scan finds more than 150 modules and 500 imports', () => {
  expect(modules.length).toBeGreaterThan(150);
  expect(imports.length).toBeGreaterThan(500);
});

test.each(FORBIDDEN)('%s', (_rule, from, to) => {
  const forbidden = imports.filter((entry) => from(entry.from) && to(entry.to));
  expect(forbidden, 'CONTRIBUTING.md, "Where things are", says what may be imported where').toEqual([]);
});

test('no package imports another by a relative path', () => {
  const packageOf = (file: string) => file.split('/')[1];
  const across = imports.filter(
    (entry) => entry.to.startsWith('packages/') && packageOf(entry.from) !== packageOf(entry.to),
  );
  expect(across, 'import it by its name, such as @pressroom/api/client').toEqual([]);
});

test('CONTRIBUTING.md names every room of the server', () => {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const entries = readdirSync(join(root, 'packages/server/src'), { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `\`${name}/\``);
  const unnamed = rooms.filter((name) => !text.includes(name));
  expect(unnamed, 'add them to its table of rooms').toEqual([]);
});

test('no imports form a cycle, type imports included', () => {
  const next = new Map(
    modules.map((file) => [file, imports.filter((entry) => entry.from === file).map((entry) => entry.to)]),
  );
  const done = new Set<string>();
  const circles: string[][] = [];
  function visit(file: string, path: readonly string[]): void {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file) || path.includes(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  }
  for (const file of modules) visit(file, []);
  expect(circles).toEqual([]);
});
