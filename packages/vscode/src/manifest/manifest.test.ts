// Checks the manifest against the code: every command is handled and offered, every text is translated, and no setting
// leaks a key.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAILURE_TEXTS, HINTS } from '@pressroom/api/client';
import { PROBLEM_TEXTS } from '@pressroom/api/publish';
import { describe, expect, test } from 'vitest';
import { VARIABLES_FILE } from '../commands/set-variables.ts';
import { COMMANDS } from '../commands/table.ts';
import { extensionManifest, TEXTS } from './manifest.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const json = (file: string) => JSON.parse(read(file)) as Record<string, string>;
const manifest = extensionManifest('1.0.0');
const { contributes } = manifest;
const ids = contributes.commands.map(({ command }) => command);
const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).toSorted();

describe('Commands', () => {
  test('are those of the table, and menus and keybindings name no others', () => {
    expect(ids).toEqual(Object.keys(COMMANDS).map((name) => `pressroom.${name}`));
    const named = [
      ...Object.values(contributes.menus)
        .flat()
        .map((item) => (item as { command: string }).command),
      ...contributes.keybindings.map(({ command }) => command),
    ];
    expect(named.filter((command) => !ids.includes(command))).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });

  test('offer publishing in every place that the design names', () => {
    const offered = Object.entries(contributes.menus)
      .filter(([, items]) =>
        items.some((item) => (item as { command: string }).command === 'pressroom.publish'),
      )
      .map(([menu]) => menu);
    for (const menu of [
      'editor/title',
      'explorer/context',
      'scm/title',
      'commandPalette',
      'view/item/context',
    ]) {
      expect(offered).toContain(menu);
    }
  });

  test('offer publishing in the title of each file that content starts from', () => {
    const titles = contributes.menus['editor/title'] as { command: string; when: string }[];
    const { when } = titles.find(({ command }) => command === 'pressroom.publish')!;
    const extension = new RegExp(/resourceExtname =~ \/(.+)\/i/.exec(when)![1]!, 'i');
    const starts = ['.R', '.Rmd', '.qmd', '.py', '.ipynb', '.html', '.htm', '.csv'];
    expect(starts.filter((name) => !extension.test(name))).toEqual(['.csv']);
  });

  test('set variables from .env and .Renviron files, but not from templates', () => {
    const names = [
      '.env',
      '.env.local',
      '.Renviron',
      '.env.example',
      '.env.local.sample',
      '.environment',
      'x.env',
    ];
    expect(names.filter((name) => VARIABLES_FILE.test(name))).toEqual(['.env', '.env.local', '.Renviron']);
    const offered = contributes.menus['explorer/context'] as { command: string; when: string }[];
    const { when } = offered.find(({ command }) => command === 'pressroom.setVariables')!;
    expect(when).toContain(`resourceFilename =~ /${VARIABLES_FILE.source}/`);
  });

  test('exist for all links of the walkthrough and the welcome view', () => {
    const links = Object.values(TEXTS).flatMap((text) =>
      [...text.matchAll(/command:([\w.]+)/g)].map(([, id]) => id!),
    );
    const known = [...ids, 'vscode.openFolder', 'pressroom.deployments.focus'];
    expect(links.filter((id) => !known.includes(id))).toEqual([]);
    expect(links.length).toBeGreaterThan(4);
  });
});

describe('Texts', () => {
  test('the manifest names existing texts, and all of them', () => {
    const used = [...JSON.stringify(manifest).matchAll(/%([\w.]+)%/g)].map(([, key]) => key!);
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(TEXTS).toSorted());
  });

  test('texts of the manifest are translated with the same links', () => {
    const german = json('package.nls.de.json');
    expect(Object.keys(german).toSorted()).toEqual(Object.keys(TEXTS).toSorted());
    const links = (text: string) => [...text.matchAll(/\]\(command:[\w.]+\)/g)].map(([link]) => link);
    for (const [key, text] of Object.entries(TEXTS)) expect(links(german[key]!), key).toEqual(links(text));
  });

  test('texts of the code are translated with the same placeholders', () => {
    const sources = globSync('src/**/*.ts', { cwd: root }).filter(
      (file) => !/\.test\.ts$|testing/.test(file),
    );
    const said = sources.flatMap((file) =>
      [...read(file).matchAll(/l10n\.t\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g)].map(
        ([, single, double]) => (single ?? double ?? '').replaceAll("\\'", "'"),
      ),
    );
    const german = json('l10n/bundle.l10n.de.json');
    // The API core explains failures, and what cannot be published.
    expect(Object.keys(german).toSorted()).toEqual(
      [...new Set([...said, ...HINTS, ...FAILURE_TEXTS, ...PROBLEM_TEXTS])].toSorted(),
    );
    for (const [english, text] of Object.entries(german))
      expect(places(text), english).toEqual(places(english));
    expect(said.length).toBeGreaterThan(80);
  });
});

test('the extension activates only by a deployment record, a URI or its walkthrough', () => {
  expect(manifest.activationEvents).toEqual([
    'workspaceContains:**/.pressroom/deployments/*.toml',
    'onUri',
    'onWalkthrough:start',
  ]);
});

test('a workspace cannot name a server, and Restricted Mode ignores its exclusions', () => {
  const { properties } = contributes.configuration;
  expect(properties['pressroom.defaultServer'].scope).toBe('machine');
  const { untrustedWorkspaces } = manifest.capabilities;
  expect(untrustedWorkspaces).toMatchObject({
    supported: 'limited',
    restrictedConfigurations: ['pressroom.exclude'],
  });
});
