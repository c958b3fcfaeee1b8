// Covers the packages of `npm run pack`, installed with npm only: in an empty directory, on Node.js 22 and 24.
// The dependencies come from the npm registry. If it cannot be reached, the tests that install are skipped.
import { execFile } from 'node:child_process';
import { cp, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { publint } from 'publint';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const BIN = join(ROOT, 'node_modules/.bin');
const NODE_22 = `node-${process.platform}-${process.arch}`;
/** For the compiler, which is written in Go: fewer collections, and no threads beside other tests. */
const SPARING = { ...process.env, GOMAXPROCS: '1', GOGC: '400' };
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT)\b/;

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

let directory: string;
let tarballs: string[];
let version: string;

const run = promisify(execFile);
const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as PackageJson;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-packages-'));
  await run(process.execPath, ['.ci/pack.ts', join(directory, 'dist')], { cwd: ROOT, env: SPARING });
  ({ version } = await readJson(join(ROOT, 'packages/api/package.json')));
  tarballs = ['api', 'cli'].map((name) => join(directory, `dist/pressroom-${name}-${version}.tgz`));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('Tarballs for npm', () => {
  test.each([0, 1])('publint reports nothing for package %i', async (index) => {
    const tarball = new Uint8Array(await readFile(tarballs[index]!)).buffer;
    const { messages } = await publint({ pack: { tarball }, strict: true });
    expect(messages).toEqual([]);
  });

  test('attw finds no wrong types for Node and bundlers', async () => {
    const options = ['--profile', 'esm-only', '--no-definitely-typed', '--format', 'json'];
    // Exits with code 1 on any problem.
    const { stdout } = await run(join(BIN, 'attw'), [tarballs[0]!, ...options]);
    expect(JSON.parse(stdout)).toMatchObject({ analysis: { packageName: '@pressroom/api' } });
  });

  test('contain no sources, tests or samples', async () => {
    const lists = await Promise.all(tarballs.map((tarball) => run('tar', ['-tzf', tarball])));
    const files = lists.flatMap(({ stdout }) => stdout.trim().split('\n'));
    expect(files).toEqual(
      expect.arrayContaining(['package/dist/index.js', 'package/README.md', 'package/LICENSE']),
    );
    expect(files.filter((file) => /test|samples|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  test('all packages have the same version', async () => {
    const [cli, { VERSION }] = await Promise.all([
      readJson(join(directory, 'dist/cli/package.json')),
      import('@pressroom/api/client'),
    ]);
    expect([cli.version, cli.dependencies['@pressroom/api'], VERSION]).toEqual([version, version, version]);
  });
});

describe('Installation in an empty directory', () => {
  let away: string;
  let server: TestServer;
  let person: Person;
  let offline = false;

  beforeAll(async () => {
    away = await mkdtemp(join(tmpdir(), 'pressroom-installed-'));
    const { devDependencies } = await readJson(join(ROOT, 'package.json'));
    const others = [`@types/node@${devDependencies['@types/node']}`, `${NODE_22}@22`];
    const options = [
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--fetch-retry-mintimeout=500',
      '--fetch-retry-maxtimeout=2000',
    ];
    try {
      // The working directory is set, so that packages of a directory above are not used.
      await run('npm', ['install', '--prefix', away, ...options, ...tarballs, ...others], { cwd: away });
    } catch (error) {
      offline = UNREACHABLE.test(String(error));
      if (!offline) throw error;
      return;
    }
    await cp(join(ROOT, 'examples'), join(away, 'examples'), { recursive: true });
    server = await startTestServer();
    person = await server.administrator();
  }, 300_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await rm(away, { recursive: true, force: true });
  });
  beforeEach(({ skip }) => skip(offline, 'The npm registry cannot be reached.'));

  /** Runs a program in the directory with one version of Node.js, signed in. */
  async function runThere(node: string, command: string, args: readonly string[]): Promise<string> {
    const PATH = [dirname(node), process.env.PATH].join(delimiter);
    const env = {
      PATH,
      HOME: away,
      CONNECT_SERVER: server.url,
      CONNECT_API_KEY: person.key,
      // The programs share most of their code.
      NODE_COMPILE_CACHE: join(away, 'compiled'),
    };
    const { stdout } = await run(command, args, { cwd: away, env });
    return stdout;
  }

  describe.each(['22', '24'])('Node %s', (major) => {
    const nodePath = () =>
      major === '22' ? join(away, `node_modules/${NODE_22}/bin/node`) : process.execPath;

    test('imports every subpath', async () => {
      const { exports } = await readJson(join(away, 'node_modules/@pressroom/api/package.json'));
      const names = Object.keys(exports).filter((name) => !name.endsWith('.json'));
      const imports = names.map((name) => `import ${JSON.stringify(`@pressroom/api${name.slice(1)}`)};`);
      expect(imports).toHaveLength(8);
      await runThere(nodePath(), 'node', ['--input-type=module', '--eval', imports.join('\n')]);
    });

    test('runs every program of the documentation', async () => {
      const node = nodePath();
      expect(await runThere(node, 'node', ['--version'])).toMatch(`v${major}.`);
      const programs = await documentedPrograms();
      expect(programs).not.toEqual([]);
      for (const [index, program] of programs.entries()) {
        const file = join(away, `program-${index}.mts`);
        await writeFile(file, program.replaceAll('http://127.0.0.1:3939', server.url));
        const output = await runThere(node, 'node', [file]);
        const page = /^https?:\S+$/m.exec(output)![0];
        const response = await fetch(page, { headers: { authorization: `Key ${person.key}` } });
        expect(await response.text()).toContain('Three cafés');
      }
    });

    test('every program of the documentation ends with an error when its deploy fails', async () => {
      for (const [index, program] of (await documentedPrograms()).entries()) {
        const file = join(away, `failing-${index}.mts`);
        const failing = program.replaceAll('examples/static-page', 'examples/nowhere');
        expect(failing).not.toBe(program);
        await writeFile(file, failing.replaceAll('http://127.0.0.1:3939', server.url));
        await expect(runThere(nodePath(), 'node', [file])).rejects.toMatchObject({
          code: 1,
          stderr: expect.stringContaining('There is no directory') as string,
        });
      }
    });

    test('runs the command', async () => {
      expect(await runThere(nodePath(), 'npx', ['pressroom', '--version'])).toBe(`${version}\n`);
      // Starts it as npx does, but without npm.
      const pressroom = (...args: string[]) =>
        runThere(nodePath(), join(away, 'node_modules/.bin/pressroom'), args);
      expect(JSON.parse(await pressroom('whoami', '--json'))).toMatchObject({
        user: { username: person.username },
      });
      expect(await pressroom('deploy', 'examples/static-page')).toContain('/content/');
    });
  });

  // attw checked how bundlers resolve the types.
  test('type-checks with module nodenext', async () => {
    await writeFile(join(away, 'consumer.mts'), CONSUMER);
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2024',
      '--types',
      'node',
      '--ignoreConfig',
      '--skipDefaultLibCheck',
      '--checkers',
      '1',
    ];
    const { stdout } = await run(join(BIN, 'tsc'), [...options, '--module', 'nodenext', 'consumer.mts'], {
      cwd: away,
      env: SPARING,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });
});

/** Uses each subpath. The last line shows that the types are not `any`. */
const CONSUMER = `
import { createClient, deploy, type DeployEvent } from '@pressroom/api';
import { ERRORS, type Manifest } from '@pressroom/api/contract';
import { nodeConnection, VERSION } from '@pressroom/api/client';
import { collectFiles } from '@pressroom/api/bundle';
import { watchTask } from '@pressroom/api/publish';
import { summarizeUsage } from '@pressroom/api/usage';
import { signInWithBrowser } from '@pressroom/api/sign-in';

const client = createClient({ url: 'http://127.0.0.1', apiKey: process.env['KEY'] });
const events: AsyncIterable<DeployEvent> = deploy({ client, dir: '.' });
const manifest: Manifest | null = null;
export const used = [ERRORS, nodeConnection, collectFiles, watchTask, summarizeUsage, signInWithBrowser, events, manifest];
export const version: string = VERSION;
export const content = await client.getContent({ guid: 'x' });
export const title: string | null | undefined = content.title;
// @ts-expect-error: this client has no such method.
await client.nothing();
`;

/** Returns the TypeScript blocks of the documentation that import the package. */
async function documentedPrograms(): Promise<string[]> {
  const files = await Array.fromAsync(
    glob(['README.md', 'docs/**/*.md', 'packages/api/README.md'], { cwd: ROOT }),
  );
  const texts = await Promise.all(files.toSorted().map((file) => readFile(join(ROOT, file), 'utf8')));
  return texts
    .flatMap((text) => [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((block) => block[1]!))
    .filter((program) => program.includes("'@pressroom/api"));
}
