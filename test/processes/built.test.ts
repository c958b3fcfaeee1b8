// What `npm run build` makes is whole: away from this repository, the command publishes every example to the server.
import { execFile, execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { firstAdministrator, startListening, type ListeningProcess, type Person } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PATH = process.env.PATH ?? '';

let away: string;
let server: ListeningProcess;
let person: Person;

beforeAll(async () => {
  away = await mkdtemp(join(tmpdir(), 'pressroom-built-'));
  execFileSync(process.execPath, ['esbuild.config.mjs'], { cwd: ROOT, stdio: 'pipe' });
  await cp(join(ROOT, 'packages/cli/dist'), join(away, 'cli'), { recursive: true });
  // Others cannot enter where the server is, but where packages are that are not its own.
  await chmod(away, 0o755);
  await mkdir(join(away, 'node_modules'));
  await mkdir(join(away, 'private'), { mode: 0o700 });
  await cp(join(ROOT, 'packages/server/dist'), join(away, 'private/server'), { recursive: true });
  await cp(join(ROOT, 'examples'), join(away, 'examples'), { recursive: true });
  server = await startListening(join(away, 'private/server/serve.mjs'), {
    PATH,
    PRESSROOM_SERVER_DATADIR: join(away, 'data'),
    PRESSROOM_HTTP_LISTEN: '127.0.0.1:0',
    PRESSROOM_LOG_LEVEL: 'error',
  });
  person = await firstAdministrator(() => server.url);
});
afterAll(async () => {
  await server.stop('SIGTERM');
  await rm(away, { recursive: true, force: true });
});

test.each([
  ['static-page', '', 'Three cafés'],
  ['r-markdown-report', '', '<img'],
  ['jupyter-notebook', '', '<img'],
  ['shiny-app', '', 'shiny.min.js'],
  ['plumber-api', '__docs__/', 'swagger'],
  ['fastapi-api', 'openapi.json', '"openapi"'],
])('%s', async (name, path, sign) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(away, 'cli/pressroom.mjs'), 'deploy', join(away, 'examples', name), '--json'],
    { env: { PATH, HOME: away, CONNECT_SERVER: server.url, CONNECT_API_KEY: person.key } },
  );
  const events = stdout.trim().split('\n');
  const { type, url } = JSON.parse(events.at(-1)!) as { type: string; url: string };
  expect(type).toBe('done');
  const page = await fetch(new URL(path, url), { headers: { authorization: `Key ${person.key}` } });
  expect(await page.text()).toContain(sign);
});

test('the list of what is in it is CycloneDX, and names what the server is made of', async () => {
  const sbom = JSON.parse(await readFile(join(away, 'private/server/sbom.cdx.json'), 'utf8'));
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX' });
  const names = (sbom.components as { name: string }[]).map((component) => component.name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'kysely', 'pg', 'ws']));
  expect(names).not.toContain('vitest');
});
