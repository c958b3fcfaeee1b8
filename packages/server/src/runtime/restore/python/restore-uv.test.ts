// Covers pip and uv: equal requirements give equal environments, and failures give one sentence.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchUv } from '@pressroom/testkit';
import * as tar from 'tar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EMPTY_MANIFEST, runCode, startBench, type Bench } from '../../testing.ts';
import { makeWheel, restoreWith, restorerOf } from '../testing.ts';

const MANIFEST = {
  ...EMPTY_MANIFEST,
  appmode: 'jupyter-static',
  python: {
    version: '3',
    package_manager: { name: 'pip', version: null, package_file: 'requirements.txt' },
  },
};
const UV = await fetchUv();

describe.each<[string, string]>([['pip', 'none'], ...(UV === null ? [] : [['uv', UV] as [string, string]])])(
  'Python restore with %s',
  (tool, pythonUv) => {
    let bench: Bench;
    let bundles = 0;
    beforeAll(async () => {
      bench = await startBench(200);
      await makeWheel(bench.directory, 'alpha', '1.0', 'beta>=2');
      await makeWheel(bench.directory, 'beta', '2.1');
      await makeWheel(bench.directory, 'flask', '99.0');
      await writeFile(join(bench.directory, 'setup.py'), 'raise RuntimeError("no compiler")\n');
      const file = join(bench.directory, 'wheels/raw-1.0.tar.gz');
      await tar.create({ gzip: true, cwd: bench.directory, file, prefix: 'raw-1.0' }, ['setup.py']);
    });
    afterAll(() => bench[Symbol.asyncDispose]());

    async function restore(requirements: string, settings = {}) {
      const source = join(bench.directory, `bundle-${(bundles += 1)}`);
      await mkdir(source);
      await writeFile(join(source, 'requirements.txt'), requirements);
      return restoreWith(restorerOf(bench, { pythonUv, ...settings }), { manifest: MANIFEST, source });
    }

    test('installs and compiles packages and dependencies once for equal requirements', async () => {
      const first = await restore('alpha\n');
      expect(first.lines).toContain(
        `Installing the packages of requirements.txt${tool === 'uv' ? ' with uv' : ''} ...`,
      );
      expect(first.lines.join('\n')).not.toContain('/environments/');
      // The header of the compiled file holds the modification time of its source, which must be the installed one.
      const code = `import alpha, beta, os
with open(beta.__cached__, "rb") as file:
    changed = int.from_bytes(file.read(12)[8:], "little")
print(alpha.VERSION, beta.VERSION, changed == int(os.stat(beta.__file__).st_mtime))`;
      expect(await runCode(bench, first.environment, code)).toBe('1.0 2.1 True');
      expect(await restore('alpha\n')).toEqual({
        environment: first.environment,
        lines: [
          expect.stringMatching(/^Bundle requested Python version 3; using/),
          'Python packages of requirements.txt: from the cache',
        ],
      });
    });

    test('uses system packages unless another version is required', async () => {
      const { environment } = await restore('ipykernel\nflask>=99\n');
      const code = 'import fastapi, ipykernel, flask; print(flask.VERSION, ipykernel.__file__)';
      expect(await runCode(bench, environment, code)).toMatch(/^99\.0 \/usr\/lib\/python3\//);
    });

    // Only with uv are lines left out, and pip needs seven seconds of a core for so many.
    if (tool === 'uv')
      test('installs the first of very many requirements, too', async () => {
        const many = Array.from({ length: 600 }, (_, i) => `beta>=0.${i}`);
        const { environment } = await restore(['alpha', ...many, ''].join('\n'));
        expect(await runCode(bench, environment, 'import alpha; print(alpha.VERSION)')).toBe('1.0');
      });

    test('names a version that does not exist and leaves nothing', async () => {
      const before = await readdir(join(bench.directory, 'environments/Python'), { recursive: true });
      await expect(restore('beta==7\n')).rejects.toMatchObject({
        code: 1,
        message: expect.stringMatching(
          tool === 'uv'
            ? /^the Python packages do not install: .*beta==7/
            : /^the Python packages do not install: Could not find a version that satisfies the requirement beta==7 \(from versions: 2\.1\)$/,
        ),
      });
      expect(await readdir(join(bench.directory, 'environments/Python'), { recursive: true })).toEqual(
        before,
      );
    });

    test('rejects a wheel whose hash does not match', async () => {
      await expect(restore(`beta==2.1 --hash=sha256:${'0'.repeat(64)}\n`)).rejects.toThrow(
        /^the Python packages do not install: .*(hash|HASH|Hash)/,
      );
    });

    test('names a package that needs a build when builds have no network access', async () => {
      await expect(restore('raw\n', { network: false })).rejects.toMatchObject({
        code: 1,
        message:
          'the Python packages do not install: raw has no wheel, and building it from source needs the network: content may not use the network here (Applications.NetworkAccess)',
      });
    });

    test('restores the lock file that the manifest names', async () => {
      const source = join(bench.directory, `lock-${tool}`);
      await mkdir(source);
      const lock = 'lock-version = "1.0"\n[[packages]]\nname = "beta"\nversion = "2.1"\n';
      await writeFile(join(source, 'pylock.toml'), lock);
      const python = {
        version: '3',
        package_manager: { name: 'uv', version: null, package_file: 'pylock.toml' },
      };
      const { environment } = await restoreWith(restorerOf(bench, { pythonUv }), {
        manifest: { ...MANIFEST, python },
        source,
      });
      expect(await runCode(bench, environment, 'import beta; print(beta.VERSION)')).toBe('2.1');
    });

    test('installs with pip what only pip reads', async () => {
      const { lines } = await restore('--prefer-binary\nbeta\n');
      expect(lines).toContain('Installing the packages of requirements.txt ...');
    });
  },
);
