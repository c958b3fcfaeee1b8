// In a real editor: where the environment names a Slack bot, it is told of every deploy, signed; the secret stays here.
import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startRecorder, type Recorder } from './recorder.ts';
import { startWork, type Work } from './work.ts';

const SECRET = 'a-secret-shared-with-the-bot';

let work: Work;
let bot: Recorder;
let status = 200;
const told: { headers: IncomingHttpHeaders; body: string }[] = [];
beforeAll(async () => {
  bot = await startRecorder(async (request, response) => {
    told.push({ headers: request.headers, body: await text(request) });
    response.writeHead(status).end();
  });
  const env = { PRESSROOM_SLACK_HOOK: bot.url, PRESSROOM_SLACK_HOOK_SECRET: SECRET };
  work = await startWork({ extensions: inject('extensions'), env });
});
afterAll(async () => {
  await work[Symbol.asyncDispose]();
  await bot[Symbol.asyncDispose]();
});
afterEach(async ({ task }) => {
  await work.editor.screenshot(`hand-over-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

test('the bot is told of the deploy while it runs, signed with the secret', async () => {
  await work.firstTime();
  await work.toast('static-page is live');
  expect(bot.calls).toEqual(['POST /hooks/deployments']);
  const [{ headers, body }] = told as [(typeof told)[number]];
  const time = headers['x-pressroom-timestamp'] as string;
  const signature = createHmac('sha256', SECRET).update(`v0:${time}:${body}`).digest('hex');
  expect(headers['x-pressroom-signature']).toBe(`v0=${signature}`);
  const [{ guid, bundle_id }] = (await work.person.call('GET', '/v1/content')).body;
  expect(JSON.parse(body)).toEqual({
    server: work.server.url,
    content_guid: guid,
    bundle_id,
    task_id: expect.stringMatching(/^\w{16}$/),
    user_guid: work.person.guid,
    source: 'vscode',
  });
  expect(JSON.stringify(told)).not.toContain(work.person.key);
});

test('a bot that refuses stops nothing: the log says so', async () => {
  status = 401;
  await work.command('pressroom.publish');
  await work.toast('static-page is live');
  await expect.poll(() => work.editor.log()).toContain('The Slack bot rejected the deploy: HTTP 401.');
});

test('the secret is in no log and in no file of the editor or the folder', async () => {
  await expect.poll(() => work.editor.log()).toContain('Live at');
  const places = [work.folder, work.editor.data];
  let read = 0;
  for (const place of places) {
    const entries = await readdir(place, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((item) => item.isFile())) {
      const bytes = await readFile(join(entry.parentPath, entry.name)).catch((error: unknown) => {
        // The running editor has taken it away meanwhile.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
        throw error;
      });
      expect(bytes.includes(SECRET), entry.name).toBe(false);
      read += 1;
    }
  }
  expect(read).toBeGreaterThan(10);
});
