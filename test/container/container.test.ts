// Covers the image of the Containerfile: built, started as docs/operate/deploying.md says, and used through the API.
import { randomUUID } from 'node:crypto';
import { firstAdministrator, freePort, publish, type Person } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASGI, asgi } from '../runtime/python-content.ts';
import { buildImage } from './base-images.ts';
import { openEngine, whyNoEngine, type Engine } from './engine.ts';

const whyNot = whyNoEngine();
const title = whyNot === null ? 'the container image' : `the container image (skipped: ${whyNot})`;

/** The set-ups of docs/operate/deploying.md. */
const SET_UPS = [
  {
    name: 'without privileges',
    options: ['--security-opt=no-new-privileges'],
    says: 'an account of its own',
  },
  {
    name: 'with full isolation',
    options: [
      '--cap-add=SYS_ADMIN',
      '--cap-add=NET_ADMIN',
      '--cap-add=SYS_PTRACE',
      '--security-opt=seccomp=unconfined',
      '--security-opt=apparmor=unconfined',
      '--security-opt=no-new-privileges',
      '--env=PRESSROOM_ISOLATION_MODE=required',
    ],
    says: 'content sees its own files only',
  },
];

const WHO = { '/': 'answer = os.getuid()' };
const DOCUMENT = '---\ntitle: Sum\noutput: html_document\n---\n\n`r 6 * 7` in all\n';

describe.skipIf(whyNot !== null)(title, () => {
  const image = `pressroom-test-${randomUUID()}`;
  let engine: Engine;
  let network: string[] = [];
  beforeAll(async () => {
    engine = await openEngine();
    if (engine.isOwn) {
      await engine.run('network', 'create', '--subnet=10.213.0.0/24', 'test');
      network = ['--network=test'];
    }
    await buildImage(engine, image);
  });
  afterAll(async () => {
    await engine.run('image', 'rm', '--force', image);
    if (engine.isOwn) await engine.run('network', 'rm', 'test');
    await engine[Symbol.asyncDispose]();
  });

  describe.each(SET_UPS)('$name', ({ options, says }) => {
    const name = `pressroom-test-${randomUUID()}`;
    let administrator: Person;
    beforeAll(async () => {
      const port = await freePort();
      const address = `--publish=127.0.0.1:${port}:3939`;
      const more = [address, ...network, '--health-interval=1s', ...options];
      await engine.run('run', '--detach', '--name', name, ...more, image);
      await engine.untilPrinted(name, /listens on/);
      administrator = await firstAdministrator(() => `http://127.0.0.1:${port}`);
    });
    afterAll(async () => void (await engine.run('rm', '--force', '--volumes', name)));

    test('logs its protection, and is healthy', async () => {
      expect(await engine.run('logs', name)).toContain(says);
      const health = () => engine.run('inspect', '--format', '{{.State.Health.Status}}', name);
      await expect.poll(health).toBe('healthy');
    });

    test('serves a page', async () => {
      const { task, path } = await publish(administrator, { 'index.html': '<h1>Here</h1>' });
      expect(task).toMatchObject({ code: 0 });
      expect(String((await administrator.call('GET', path)).bytes)).toContain('<h1>Here</h1>');
    });

    test('runs Python as neither root nor the server’s account', async () => {
      const { task, path } = await publish(administrator, asgi(WHO), { metadata: ASGI });
      expect(task).toMatchObject({ code: 0 });
      const account = Number(await engine.run('exec', name, 'id', '-u', 'pressroom'));
      const { body } = await administrator.call('GET', path);
      expect(body).toEqual(expect.any(Number));
      expect([0, account]).not.toContain(body);
    });

    test('renders R Markdown', async () => {
      const metadata = { appmode: 'rmd-static', primary_rmd: 'index.Rmd' };
      const { task, path } = await publish(administrator, { 'index.Rmd': DOCUMENT }, { metadata });
      expect(task).toMatchObject({ code: 0 });
      expect(String((await administrator.call('GET', path)).bytes)).toContain('42 in all');
    });

    test('keeps its data in the volume, and exits with 0', async () => {
      await engine.run('stop', '--time', '60', name);
      expect(await engine.run('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0');
      await engine.run('start', name);
      const status = () =>
        administrator.call('GET', '/v1/user').then(
          (response) => response.status,
          () => 'not yet',
        );
      await expect.poll(status).toBe(200);
    });
  });
});
