// Covers several package repositories: their order, and passwords that no process of content, log or error shows.
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fetchUv } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { EMPTY_MANIFEST, runCode, startBench, type Bench } from '../testing.ts';
import {
  makeRepository,
  makeWheel,
  manifestOf,
  packagesIn,
  restoreWith,
  restorerOf,
  withQuickR,
} from './testing.ts';

const MANIFEST = {
  ...EMPTY_MANIFEST,
  appmode: 'jupyter-static',
  python: {
    version: '3',
    package_manager: { name: 'pip', version: null, package_file: 'requirements.txt' },
  },
};
const PASSWORD = 's3cret-word';
const AUTHORIZATION = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;

/** Serves a page for each package, with host-relative links as many indexes have; optionally with a password. */
async function startIndex(wheels: string, isOpen: boolean) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const url = request.url ?? '';
      if (!isOpen && request.headers.authorization !== AUTHORIZATION)
        return response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end();
      asked.push(url);
      const name = /^\/simple\/([\w-]+)\/$/.exec(url)?.[1];
      const file = /^\/files\/([\w.-]+)$/.exec(url)?.[1];
      const all = await readdir(wheels);
      if (name !== undefined && all.some((one) => one.startsWith(`${name}-`))) {
        const links = all
          .filter((one) => one.startsWith(`${name}-`))
          .map((one) => `<a href="/files/${one}">${one}</a>`);
        return response
          .writeHead(200, { 'Content-Type': 'text/html' })
          .end(`<!DOCTYPE html>${links.join('')}`);
      }
      if (file !== undefined && all.includes(file)) return response.end(await readFile(join(wheels, file)));
      return response.writeHead(404).end();
    })().catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    asked,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bundle({ directory }: Bench, name: string, requirements: string): Promise<string> {
  const source = join(directory, name);
  await mkdir(source);
  await writeFile(join(source, 'requirements.txt'), requirements);
  return source;
}

const UV = await fetchUv();

test.each([['pip', 'none'], ...(UV === null ? [] : [['uv', UV]])])(
  '%s reads two indexes, one with a password from a file, and shows it nowhere',
  async (_tool, pythonUv) => {
    await using bench = await startBench(200);
    const more = join(bench.directory, 'more');
    await makeWheel(bench.directory, 'alpha', '1.0', 'beta>=2');
    await makeWheel(more, 'beta', '2.1');
    using own = await startIndex(join(bench.directory, 'wheels'), false);
    using other = await startIndex(join(more, 'wheels'), true);
    const netrc = join(bench.directory, 'netrc');
    await writeFile(netrc, `machine ${own.host} login ada password ${PASSWORD}\n`);
    const settings = {
      pythonUv: pythonUv!,
      pythonIndex: `http://${own.host}/simple,http://${other.host}/simple`,
      pythonFindLinks: '',
      // Content has no network access. The installation of wheels, tested here, uses the network anyway.
      network: false,
    };
    const request = { manifest: MANIFEST, source: await bundle(bench, 'bundle', 'alpha\n') };
    const shown: string[] = [];
    const without = restoreWith(restorerOf(bench, settings), {
      ...request,
      print: (line) => shown.push(line),
    });
    await expect(without).rejects.toThrow('the Python packages do not install');
    const restorer = restorerOf(bench, { ...settings, credentials: netrc });
    const { environment, lines } = await restoreWith(restorer, request);
    expect(await runCode(bench, environment, 'import alpha, beta; print(alpha.VERSION, beta.VERSION)')).toBe(
      '1.0 2.1',
    );
    const files = [own, other].map(({ asked }) => asked.filter((url) => url.startsWith('/files/')));
    expect(files.map((asked) => [...new Set(asked)])).toEqual([
      ['/files/alpha-1.0-py3-none-any.whl'],
      ['/files/beta-2.1-py3-none-any.whl'],
    ]);
    await expect(
      restoreWith(restorer, { manifest: MANIFEST, source: await bundle(bench, 'absent', 'gamma\n') }),
    ).rejects.toSatisfy(
      (error: Error) => !error.message.includes(PASSWORD) && error.message.includes('gamma'),
    );
    const said = [...shown, ...lines].join('\n');
    expect(said).not.toContain(PASSWORD);
    // Nor does it contain the address that only the installer gets.
    for (const address of said.match(/http:\/\/127[^\s,]*/g) ?? [])
      expect([own.host, other.host]).toContain(new URL(address).host);
  },
);

test('searches R repositories in order, and takes a required version from any', async () => {
  await using bench = await withQuickR(await startBench(200));
  const second = join(bench.directory, 'second');
  await makeRepository(bench.directory, [{ name: 'alpha', version: '1.0' }]);
  await makeRepository(second, [
    { name: 'alpha', version: '3.0' },
    { name: 'beta', version: '2.0' },
  ]);
  const restorer = restorerOf(bench, {
    rRepository: `${join(bench.directory, 'repository')}, file://${join(second, 'repository')}`,
  });
  const { environment } = await restoreWith(restorer, {
    manifest: manifestOf({ alpha: '0.9', beta: '1.0' }),
  });
  expect(await packagesIn(environment)).toEqual(['alpha 1.0', 'beta 2.0']);
  const newer = await restoreWith(restorer, { manifest: manifestOf({ alpha: '3.0', beta: '2.0' }) });
  expect(await packagesIn(newer.environment)).toEqual(['alpha 3.0', 'beta 2.0']);
  await expect(restoreWith(restorer, { manifest: manifestOf({ gamma: '1.0' }) })).rejects.toThrow(
    `neither on this server nor in ${join(bench.directory, 'repository')}, file://${second}/repository`,
  );
});

test('an index of content never shows its password and serves that content only', async () => {
  await using bench = await startBench(200);
  await makeWheel(bench.directory, 'alpha', '1.0');
  using own = await startIndex(join(bench.directory, 'wheels'), false);
  const restorer = restorerOf(bench, { pythonFindLinks: '', network: false, privateHosts: '127.0.0.1' });
  const sources = [
    { language: 'Python', address: `http://${own.host}/simple`, authorization: AUTHORIZATION },
  ] as const;
  const source = await bundle(bench, 'bundle', 'alpha\n');
  const request = { manifest: MANIFEST, source, owner: 'ada', sources };
  const { environment, lines } = await restoreWith(restorer, request);
  expect(await runCode(bench, environment, 'import alpha; print(alpha.VERSION)')).toBe('1.0');
  expect(lines.join('\n')).not.toContain(PASSWORD);
  const asked = own.asked.length;
  const again = await restoreWith(restorer, request);
  expect(again.environment.readable).toEqual(environment.readable);
  expect(own.asked).toHaveLength(asked);
  const withoutPassword = [{ ...sources[0], authorization: null }];
  const stranger = restoreWith(restorer, { ...request, owner: 'bob', sources: withoutPassword });
  await expect(stranger).rejects.toThrow('alpha');
});

test('refuses an index of content at a private address', async () => {
  await using bench = await startBench(200);
  await makeWheel(bench.directory, 'alpha', '1.0');
  using own = await startIndex(join(bench.directory, 'wheels'), true);
  const source = await bundle(bench, 'bundle', 'alpha\n');
  const sources = [
    { language: 'Python', address: `http://${own.host}/simple`, authorization: null },
  ] as const;
  const settings = { pythonFindLinks: '', network: false };
  const refused = restoreWith(restorerOf(bench, settings), { manifest: MANIFEST, source, sources });
  await expect(refused).rejects.toThrow('the Python packages do not install');
  expect(own.asked).toEqual([]);
});

test('caches R packages from a repository of content for that content only', async () => {
  await using bench = await withQuickR(await startBench(200));
  await makeRepository(bench.directory, [{ name: 'alpha', version: '1.0' }]);
  const address = `file://${join(bench.directory, 'repository')}`;
  const restorer = restorerOf(bench, { rRepository: 'none' });
  const sources = [{ language: 'R', address, authorization: null }] as const;
  const manifest = manifestOf({ alpha: '1.0' });
  const { environment } = await restoreWith(restorer, { manifest, owner: 'ada', sources });
  expect(await packagesIn(environment)).toEqual(['alpha 1.0']);
  expect(environment.readable.every((path) => path.includes('@ada/'))).toBe(true);
  await expect(restoreWith(restorer, { manifest, owner: 'bob' })).rejects.toThrow('alpha');
});
