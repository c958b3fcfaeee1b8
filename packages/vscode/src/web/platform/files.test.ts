import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as fs from './files.ts';

const PACKAGES = join(import.meta.dirname, '../../../..');
const IMPORT = /import \{([^}]*)\} from '(node:fs(?:\/promises)?)';/g;
/** Not needed in a browser, where downloads are not written to disk. */
const NOT_CALLED = new Set(['createWriteStream']);

test('the browser’s node:fs has all functions that publishing and the extension use', () => {
  const files = globSync(
    ['api/src/publish/**/*.ts', 'vscode/src/{commands,publish,store,tools,ui,views}/**/*.ts'],
    {
      cwd: PACKAGES,
    },
  ).filter((file) => !/test(ing)?\.ts$/.test(file));
  const missing = files.flatMap((file) =>
    [...readFileSync(join(PACKAGES, file), 'utf8').matchAll(IMPORT)].flatMap(([, names = '', from]) =>
      names
        .split(',')
        .map((name) => name.trim().split(' as ')[0]!)
        .filter((name) => name !== '' && !name.startsWith('type ') && !NOT_CALLED.has(name))
        .filter((name) => !(name in (from === 'node:fs' ? fs : fs.promises)))
        .map((name) => `${file}: ${name} of ${from}`),
    ),
  );
  expect(missing).toEqual([]);
});

test('rmdir removes only an empty directory', async () => {
  await fs.promises.mkdir('/folder/a/b', { recursive: true });
  await expect(fs.promises.rmdir('/folder/a')).rejects.toMatchObject({ code: 'ENOTEMPTY' });
  await fs.promises.rmdir('/folder/a/b');
  await fs.promises.rmdir('/folder/a');
  expect(await fs.promises.readdir('/folder')).toEqual([]);
});
