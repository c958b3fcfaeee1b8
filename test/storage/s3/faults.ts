// A wrong or unresponsive store: nothing is acknowledged, and nothing half-visible.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { loadConfig } from '@pressroom/server';
import {
  makeArchive,
  publish,
  startTestServer,
  testCertificate,
  testLog,
  type Bucket,
} from '@pressroom/testkit';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openS3 } from '../../../packages/server/src/main/open-blobs.ts';
import { startRelay } from '../relay.ts';

const SECRET = 'a-secret-that-nobody-may-read';

export function testFaults(makeBucket: () => Promise<Bucket>): void {
  test('startup rejects wrong settings of the store, and names the setting and the response', async () => {
    const { settings } = await makeBucket();
    const { key, certificate } = testCertificate('127.0.0.1');
    const tls = createServer({ key, cert: certificate }).listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const encrypted = `https://127.0.0.1:${(tls.address() as AddressInfo).port}`;
    const cases = [
      [{ 'Storage.Bucket': 'nobodys' }, /^Storage\.Bucket: .*nobodys.*NoSuchBucket/],
      [{ 'Storage.Secret': SECRET }, /^Storage\.KeyID or Storage\.Secret: .*SignatureDoesNotMatch/],
      [{ 'Storage.Region': 'eu-west-1' }, /^Storage\.Region: .*'eu-west-1' is wrong/],
      [{ 'Storage.Endpoint': 'http://127.0.0.1:1' }, /^Storage\.Endpoint: .*ECONNREFUSED/],
      [{ 'Storage.Endpoint': encrypted }, /^Storage\.CA: .*self.signed/i],
      [{ 'Storage.CA': '/nowhere.pem' }, /^Storage\.CA: .*ENOENT/],
    ] as const;
    for (const [wrong, message] of cases) {
      const refused = await openS3(loadConfig({}, { ...settings, ...wrong }), testLog()).catch(
        (error: Error) => error,
      );
      expect(refused).toBeInstanceOf(Error);
      expect((refused as Error).message).toMatch(message);
      expect(JSON.stringify(refused) + (refused as Error).stack).not.toContain(SECRET);
    }
    tls.close();
    await (await startTestServer({ settings }))[Symbol.asyncDispose]();
    const another = { ...settings, 'Secrets.Key': randomBytes(32).toString('base64') };
    await expect(startTestServer({ settings: another })).rejects.toThrow(
      /^Storage\.Prefix: .*another Secrets\.Key/,
    );
    expect(() => loadConfig({}, { ...settings, 'Secrets.Key': '' })).toThrow('Secrets.Key must be set');
    await expect(startTestServer({ settings: { ...settings, 'Storage.Bucket': 'nobodys' } })).rejects.toThrow(
      'Storage.Bucket',
    );
  });

  test('an upload without a working store fails in time, and the next one succeeds', async () => {
    const { settings, keys } = await makeBucket();
    await using relay = await startRelay(settings['Storage.Endpoint']!);
    const lines: string[] = [];
    const log = pino(
      { level: 'debug' },
      new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(String(chunk)), done()) }),
    );
    await using server = await startTestServer({
      log,
      settings: { ...settings, 'Storage.Endpoint': relay.url.replace(/\/$/, ''), 'Storage.Timeout': 5 },
    });
    const owner = await server.person('publisher');
    const page = await publish(owner, { 'index.html': 'before' });
    const before = await keys();
    const upload = () =>
      owner.call('POST', `/v1/content/${page.guid}/bundles`, { raw: makeArchive({ 'index.html': 'after' }) });
    for (const isSilent of [false, true]) {
      const set = isSilent ? relay.mute : relay.refuse;
      set(true);
      const refused = await upload();
      expect(refused).toMatchObject({ status: 503, body: { code: 134 } });
      expect(refused.body.error).toMatch(/S3 store.*Nothing was stored/);
      expect(refused.headers.get('Retry-After')).toBe('5');
      set(false);
      // What a silent store has accepted has no row.
      if (!isSilent) expect(await keys()).toEqual(before);
      expect((await owner.call('GET', `/v1/content/${page.guid}/bundles`)).body).toHaveLength(1);
    }
    const stored = await upload();
    expect(stored.status).toBe(200);
    // Unpacked files are still served; other files, and downloads, report a temporary failure.
    relay.refuse(true);
    expect(String((await owner.call('GET', page.path)).bytes)).toBe('before');
    const { id } = stored.body;
    const download = await owner.call('GET', `/v1/content/${page.guid}/bundles/${id}/download`);
    expect(download).toMatchObject({ status: 503, body: { code: 1 } });
    expect(download.headers.get('Retry-After')).toBe('5');
    const task = await owner.call('POST', `/v1/content/${page.guid}/deploy`, { body: { bundle_id: id } });
    // A deploy waits for a store that returns within a minute.
    const taskOf = async () => (await owner.call('GET', `/v1/tasks/${task.body.task_id}?wait=1`)).body;
    const waits = /The S3 store cannot be reached .*Trying again/;
    await expect.poll(async () => (await taskOf()).output.join('\n')).toMatch(waits);
    expect(String((await owner.call('GET', page.path)).bytes)).toBe('before');
    relay.refuse(false);
    await expect.poll(taskOf).toMatchObject({ finished: true, code: 0 });
    expect(String((await owner.call('GET', page.path)).bytes)).toBe('after');
    expect(lines.join('')).not.toContain(settings['Storage.Secret']);
  });
}
