// Covers restore of Python packages, with the real Python of this machine and wheels made for each test.
import { lstat, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Manifest } from '@pressroom/api/contract';
import * as tar from 'tar';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findNumbered } from '../../sandbox/accounts.ts';
import { EMPTY_MANIFEST, runCode, startBench, type Bench } from '../../testing.ts';
import { makeWheel, restoreWith, restorerOf } from '../testing.ts';
import { readRequirements } from './python-requirements.ts';

const MANIFEST: Manifest = {
  ...EMPTY_MANIFEST,
  appmode: 'jupyter-static',
  python: {
    version: '3.9.1',
    package_manager: { name: 'pip', version: '20.0', package_file: 'requirements.txt' },
  },
};

let bench: Bench;
let bundles = 0;

beforeAll(async () => {
  bench = await startBench(200);
  await makeWheel(bench.directory, 'alpha', '1.0', 'beta>=2');
  await makeWheel(bench.directory, 'beta', '2.1');
});
afterAll(() => bench[Symbol.asyncDispose]());

async function makeBundle(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  bundles += 1;
  const source = join(bench.directory, `bundle-${bundles}`);
  await mkdir(source);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), text);
  }
  return source;
}

async function restore(
  requirements: string | Buffer,
  files: Readonly<Record<string, string>> = {},
  settings = {},
) {
  const source = await makeBundle({ 'requirements.txt': requirements, ...files });
  return restoreWith(restorerOf(bench, settings), { manifest: MANIFEST, source });
}

const asUtf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');
const ran = (lines: readonly string[]) => lines.filter((line) => line.startsWith('Installing the packages'));

describe('Restore of Python packages', () => {
  test('installs nothing if the manifest says that the server has the packages', async () => {
    const source = await makeBundle({ 'requirements.txt': 'alpha\n' });
    const manifest = { ...MANIFEST, unmanaged: { python: true, r: false } };
    const { environment, lines } = await restoreWith(restorerOf(bench), { manifest, source });
    expect(lines.at(-1)).toBe('Python packages are not installed: the manifest says so');
    expect(environment.readable).toEqual([]);
  });

  test('reports an unreachable index rather than missing packages', async () => {
    const restorer = restorerOf(bench, { pythonIndex: 'http://127.0.0.1:1/simple', pythonFindLinks: '' });
    const source = await makeBundle({ 'requirements.txt': 'gamma\n' });
    await expect(restoreWith(restorer, { manifest: MANIFEST, source })).rejects.toThrow(
      /the package index cannot be reached/,
    );
  });

  test('installs once for equal requirements and reuses the result after a restart', async () => {
    const restorer = restorerOf(bench);
    const source = await makeBundle({ 'requirements.txt': 'alpha\n' });
    const other = await makeBundle({ 'requirements.txt': 'alpha\n' });
    const both = await Promise.all(
      [source, other].map((path) => restoreWith(restorer, { manifest: MANIFEST, source: path })),
    );
    expect(both[0]!.lines[0]).toBe(
      `Bundle requested Python version 3.9.1; using /usr/bin/python3 which has version ${both[0]!.environment.version}`,
    );
    expect(both[1]!.environment).toEqual(both[0]!.environment);
    const root = dirname(both[0]!.environment.readable[0]!);
    expect(await readdir(root)).toHaveLength(1);
    const later = await restore('alpha\n');
    expect(ran(later.lines)).toEqual([]);
    const code = 'import alpha, beta; print(alpha.VERSION, beta.VERSION)';
    expect(await runCode(bench, later.environment, code)).toBe('1.0 2.1');
  });

  test('uses packages of the system that satisfy the requirements', async () => {
    const all = await restore('fastapi>=0.1\nuvicorn # any\n\nnothing; python_version < "3"\n');
    expect(all.environment.file).toBe('/usr/bin/python3');
  });

  test('uses the interpreter of the system without requirements', async () => {
    const source = await makeBundle({ 'app.py': '' });
    const manifest = {
      ...MANIFEST,
      python: { ...MANIFEST.python!, package_manager: { name: null, version: null, package_file: null } },
    };
    const { environment } = await restoreWith(restorerOf(bench), { manifest, source });
    expect(environment).toMatchObject({ file: '/usr/bin/python3', readable: [] });
  });

  test('ignores pip variables of the server’s environment', async () => {
    vi.stubEnv('PIP_FIND_LINKS', '/nowhere');
    vi.stubEnv('PIP_TARGET', join(bench.directory, 'target'));
    const { environment } = await restore('beta==2.1\n');
    vi.unstubAllEnvs();
    expect(await runCode(bench, environment, 'import beta; print(beta.VERSION)')).toBe('2.1');
  });

  test.each<[string | Buffer, RegExp]>([
    ['-e .\n', /editable/],
    ['-r ../other.txt\n', /not in the bundle/],
    ['-r /etc/passwd\n', /not in the bundle/],
    ['-r absent.txt\n', /no file absent.txt/],
    ['alpha # für\0', /save it as UTF-8/],
    [asUtf16('-e .\r\n'), /editable/],
  ])('rejects %j with error 38', async (requirements, message) => {
    await expect(restore(requirements)).rejects.toMatchObject({
      code: 38,
      message: expect.stringMatching(message),
    });
  });

  test('reads requirements in UTF-16, as PowerShell writes them', async () => {
    const { environment } = await restore(asUtf16('fastapi>=0.1\r\nuvicorn # für\r\n'));
    expect(environment.file).toBe('/usr/bin/python3');
  });

  test('does not read requirements through a link out of the bundle', async () => {
    const source = await makeBundle({});
    await symlink('/etc/passwd', join(source, 'requirements.txt'));
    await expect(restoreWith(restorerOf(bench), { manifest: MANIFEST, source })).rejects.toMatchObject({
      code: 38,
    });
  });

  test('rebuilds an environment that a killed server left incomplete', async () => {
    const { environment } = await restore('alpha\n');
    const [path] = environment.readable;
    await rm(join(path!, 'complete'));
    await rm(join(path!, 'venv/bin'), { recursive: true });
    const again = await restore('alpha\n');
    expect(ran(again.lines)).toHaveLength(1);
    expect(await runCode(bench, again.environment, 'import alpha; print(alpha.VERSION)')).toBe('1.0');
  });

  test('keeps packages of a bundle to it, and their code changes only its environment', async () => {
    const before = await restore('alpha\n');
    const first = await restore('./own\n', packed('1.0'));
    const second = await restore('./own\n', packed('2.0'));
    const code = 'import own; print(own.VERSION)';
    expect(await runCode(bench, first.environment, code)).toBe('1.0');
    expect(await runCode(bench, second.environment, code)).toBe('2.0');
    expect(await runCode(bench, before.environment, 'import alpha; print(alpha.VERSION)')).toBe('1.0');
    for (const { environment } of [before, first]) {
      const [path] = environment.readable;
      for (const file of await readdir(path!, { recursive: true })) {
        if (environment === before.environment) expect(file).not.toContain('harm');
        const { uid, mode } = await lstat(join(path!, file));
        expect(uid).toBe(process.getuid!());
        if (!file.includes('bin/python') && !file.endsWith('lib64')) expect(mode & 0o022, file).toBe(0);
      }
    }
  });

  test('installs each environment as an account of its own', async () => {
    const files = await makeBundle(packed('account', 'asking'));
    await tar.create({ gzip: true, cwd: files, file: join(bench.directory, 'wheels/asking-1.0.tar.gz') }, [
      'asking',
    ]);
    const all = [await restore('asking\n'), await restore('asking==1.0\n')];
    const code = 'import asking; print(asking.VERSION)';
    const accounts = await Promise.all(all.map(({ environment }) => runCode(bench, environment, code)));
    for (const uid of accounts) expect(findNumbered(`#${uid}`), uid).not.toBeNull();
    expect(new Set(accounts).size).toBe(2);
  });
});

/** A source package that reports what Python sees at build time as its version. */
const packed = (version: string, name = 'own') => ({
  [`${name}/pyproject.toml`]:
    '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
  [`${name}/backend.py`]: backend(version, name),
});
const OWN_VERSION = 'import own; print(own.VERSION)';

describe('H7: packages in a bundle', () => {
  interface Way {
    readonly asks: string;
    /** The module that the package contains. */
    readonly module: string;
    readonly make: (source: string, module: string, version: string) => Promise<unknown>;
  }
  /** Puts different code under the same requirement. */
  const ways: Record<string, Way> = {
    'an archive without ./ in front': { asks: 'vendor/plain.tgz', module: 'plain', make: packOwn },
    'an archive with a line continuation': { asks: 'vendor/\\\nbroken.tgz', module: 'broken', make: packOwn },
    'an archive with a marker': {
      asks: 'vendor/marked.tgz ; python_version > "3"',
      module: 'marked',
      make: packOwn,
    },
    'an included file without a space': {
      asks: '-rreal.txt',
      module: 'included',
      make: async (source, module, version) => {
        await writeFile(join(source, 'real.txt'), `vendor/${module}.tgz\n`);
        await packOwn(source, module, version);
      },
    },
    'a directory of packages': {
      asks: '--find-links=wheels\nfound',
      module: 'found',
      make: (source, module, version) => makeWheel(source, module, '1.0', '', version),
    },
    'a wheel that looks like a package name': {
      asks: 'named-1.0-py3-none-any.whl',
      module: 'named',
      make: async (source, module, version) => {
        await makeWheel(source, module, '1.0', '', version);
        const name = `${module}-1.0-py3-none-any.whl`;
        await rename(join(source, 'wheels', name), join(source, name));
      },
    },
  };

  async function packOwn(source: string, module: string, version: string): Promise<void> {
    const files = await makeBundle(packed(version, module));
    await mkdir(join(source, 'vendor'), { recursive: true });
    const file = join(source, `vendor/${module}.tgz`);
    await tar.create({ gzip: true, cwd: files, file }, [module]);
  }

  test.each(Object.entries(ways))(
    'recognizes %s as local to the bundle',
    async (_name, { asks, module, make }) => {
      const source = await makeBundle({ 'requirements.txt': `${asks}\n` });
      await make(source, module, '1.0');
      expect(await readRequirements(source, null)).toMatchObject({ reach: 'bundle' });
    },
  );

  test('reads past many comment signs without delay', async () => {
    // With backtracking at each sign, it would take minutes.
    const source = await makeBundle({ 'requirements.txt': `requests${' #'.repeat(250_000)}\u2028x\n` });
    expect(await readRequirements(source, null)).toMatchObject({ lines: ['requests', ''] });
  });

  test('installs packages of its own bundle and none of another', async () => {
    const all = Object.values(ways);
    const code = all.map(({ module }) => `import ${module}; print(${module}.VERSION)`).join('\n');
    for (const version of ['1.0', '2.0']) {
      const source = await makeBundle({ 'requirements.txt': all.map(({ asks }) => `${asks}\n`).join('') });
      for (const { module, make } of all) await make(source, module, version);
      const { environment } = await restoreWith(restorerOf(bench), { manifest: MANIFEST, source });
      expect((await runCode(bench, environment, code)).split('\n')).toEqual(all.map(() => version));
    }
  });

  test('treats a constraints file as part of the requirements', async () => {
    await makeWheel(bench.directory, 'beta', '2.2');
    for (const version of ['2.1', '2.2']) {
      const { environment } = await restore('-c limits.txt\nbeta\n', { 'limits.txt': `beta==${version}\n` });
      expect(await runCode(bench, environment, 'import beta; print(beta.VERSION)')).toBe(version);
    }
    await rm(join(bench.directory, 'wheels/beta-2.2-py3-none-any.whl'));
  });

  test('installs a package by name rather than from a bundle file of that name', async () => {
    const source = await makeBundle({ 'requirements.txt': 'beta==2.1\n' });
    await makeWheel(source, 'beta', '2.1', '', 'of the bundle');
    await rename(join(source, 'wheels/beta-2.1-py3-none-any.whl'), join(source, 'beta==2.1'));
    const { environment } = await restoreWith(restorerOf(bench), { manifest: MANIFEST, source });
    expect(await runCode(bench, environment, 'import beta; print(beta.VERSION)')).toBe('2.1');
  });

  test('creates an environment for each owner of local packages or of another index', async () => {
    const local = await makeBundle({ 'requirements.txt': './own\n', ...packed('1.0') });
    const elsewhere = await makeBundle({
      'requirements.txt': '--trusted-host example.com\nalpha\n',
    });
    const restorer = restorerOf(bench);
    for (const source of [local, elsewhere]) {
      const both = await Promise.all(
        ['one', 'other'].map((owner) => restoreWith(restorer, { manifest: MANIFEST, source, owner })),
      );
      expect(both[0]!.environment.readable).not.toEqual(both[1]!.environment.readable);
    }
  });

  test('rejects variables in requirements with error 38', async () => {
    await expect(
      restore('--extra-index-url https://example.com/${PIP_INDEX_URL}\nalpha\n'),
    ).rejects.toMatchObject({
      code: 38,
      message: expect.stringContaining('has a variable'),
    });
  });
});

describe('M7: restore without network access', () => {
  const OFFLINE = { network: false };

  test('builds packages without network access', async () => {
    if (!bench.launcher.isolation.mounts) return;
    const { environment } = await restore('./own\nalpha\n', packed('interfaces'), OFFLINE);
    expect(await runCode(bench, environment, OWN_VERSION)).toBe('lo');
    expect(await runCode(bench, environment, 'import alpha; print(alpha.VERSION)')).toBe('1.0');
  });

  test.each([
    ['own @ https://example.com/own.tar.gz\n', /asked from another machine/],
    ['git+https://example.com/own\n', /asked from another machine/],
    ['--no-binary=:all:\nalpha\n', /asks to build packages/],
  ])('rejects %j', async (requirements, message) => {
    await expect(restore(requirements, {}, OFFLINE)).rejects.toThrow(message);
  });
});

/**
 * A build backend that also writes wherever it can. With the version "interfaces" it reports the network interfaces,
 * with "account" its account.
 */
function backend(version: string, module = 'own'): string {
  return `
import os, socket, zipfile
VERSION = '${version}'
if VERSION == 'account': VERSION = str(os.getuid())
if VERSION == 'interfaces': VERSION = ','.join(name for _, name in socket.if_nameindex())
def build_wheel(directory, config_settings=None, metadata_directory=None):
    for top, names, files in os.walk(${JSON.stringify(bench.directory)}):
        if not top.startswith(os.environ["TMPDIR"] + "/source"):
            try: open(os.path.join(top, "harm"), "w").write("harm")
            except OSError: pass
    name = "${module}-1.0-py3-none-any.whl"
    info = "${module}-1.0.dist-info/"
    with zipfile.ZipFile(os.path.join(directory, name), "w") as wheel:
        wheel.writestr("${module}.py", "VERSION = %r" % VERSION)
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: ${module}\\nVersion: 1.0\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "${module}.py,,\\n")
    return name
`;
}
