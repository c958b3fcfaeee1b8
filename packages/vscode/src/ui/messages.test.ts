import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../testing/fake-vscode.ts';
import { showErrorMessage, unlinked } from './messages.ts';

test('disables links that others wrote into a message', () => {
  recorded.reset();
  void showErrorMessage(
    'locked: [Unlock](command:workbench.action.quit) x[["a"]](1) [web](https://example.com)',
  );
  expect(recorded.messages).toEqual([
    'locked: [Unlock] (command:workbench.action.quit) x[["a"]](1) [web] (https://example.com)',
  ]);
  expect(unlinked('[a](COMMAND:b)[c](file:///d)')).toBe('[a] (COMMAND:b)[c] (file:///d)');
});

test('no other file shows messages or progress notifications', () => {
  const sources = path.join(import.meta.dirname, '..');
  const others = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /(?<!\.test)\.ts$/.test(file) && file !== path.join('ui', 'messages.ts') && !file.startsWith('testing'),
  );
  const found = others.filter((file) =>
    /window\s*\.show\w+Message|window\.withProgress\(\s*\{ location: ProgressLocation\.Notification/.test(
      readFileSync(path.join(sources, file), 'utf8'),
    ),
  );
  expect(found).toEqual([]);
});
