// Covers which records of renderings and mails are kept, on both engines: what their lists show, and what is in use.
import { publish, startTestServer, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertDeliveries, listDeliveries } from '../../packages/server/src/mailing/store.ts';
import { insertRendering, listRenderings } from '../../packages/server/src/runtime/rendering-store.ts';

let server: TestServer;
let content_guid: string;
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  ({ guid: content_guid } = await publish(await server.person('publisher'), { 'index.html': 'report' }));
});
afterAll(() => server[Symbol.asyncDispose]());

const delivery = (rendering_id: number, state: 'waiting' | 'sent') => ({
  content_guid,
  variant_key: '',
  rendering_id,
  address: 'ada@example.com',
  user_guid: null,
  state,
  attempts: 0,
  error: '',
  created_time: 1,
  sent_time: null,
  next_time: state === 'waiting' ? 1 : null,
});

test('keeps the renderings and mails that are listed, and what waits to be sent', async () => {
  const { db } = server.running.services.storage;
  const rendering = { content_guid, bundle_id: 1, task_id: 't', created_time: 1 };
  const first = await insertRendering(db, rendering);
  await insertDeliveries(db, [delivery(first, 'waiting')]);
  const ofVariant = await insertRendering(db, { ...rendering, variant_key: 'v' });
  for (let i = 0; i < 102; i += 1) await insertRendering(db, rendering);
  for (let i = 0; i < 205; i += 1) await insertDeliveries(db, [delivery(first + 1, 'sent')]);
  const renderings = await db.selectFrom('rendering').select('id').orderBy('id').execute();
  const listed = (await listRenderings(db, content_guid)).map(({ id }) => id);
  expect(listed).toHaveLength(100);
  expect(renderings.map(({ id }) => id)).toEqual([first, ofVariant, ...listed.toReversed()]);
  const mails = await db.selectFrom('mail_delivery').select(['id', 'state']).orderBy('id').execute();
  expect(mails[0]?.state).toBe('waiting');
  const shown = (await listDeliveries(db, content_guid)).map(({ id }) => id);
  expect(shown).toHaveLength(200);
  expect(mails.slice(1).map(({ id }) => id)).toEqual(shown.toReversed());
});
