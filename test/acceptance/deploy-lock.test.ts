// Locks on deploys: nobody deploys meanwhile, the reason is told, and the lock ends by itself or when it is removed.
import { publish, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';

const HOUR = 3_600_000;

test('while deploys are locked nobody deploys, by any path, and everybody who may is told why', async () => {
  await using server = await startTestServer();
  const owner = await server.person('publisher');
  const admin = await server.administrator();
  const { guid } = await publish(owner, { 'index.html': 'hello' });
  const path = `/v1/content/${guid}/deploy-lock`;
  expect(await owner.call('GET', path)).toMatchObject({ status: 404, body: { code: 4 } });

  const until = new Date(Date.now() + HOUR).toISOString();
  const lock = { reason: 'Quarter-end freeze', until, user_guid: owner.guid, username: owner.username };
  const body = { reason: 'Quarter-end freeze', until };
  expect(await owner.call('PUT', path, { body })).toMatchObject({ status: 200, body: lock });
  expect((await admin.call('GET', path)).body).toMatchObject(lock);
  for (const person of [owner, admin])
    for (const [where, more] of [
      [`/v1/content/${guid}/deploy`, {}],
      [`/v1/content/${guid}/build`, {}],
      [`/applications/${guid}/deploy`, { bundle: null }],
    ] as const) {
      const refused = await person.call('POST', where, { body: more });
      expect(refused, where).toMatchObject({ status: 403, body: { code: 22 } });
      expect(refused.body.error).toContain(`${owner.username} locked deploys of this content until`);
      expect(refused.body.error).toContain('Quarter-end freeze');
    }

  expect((await owner.call('DELETE', path)).status).toBe(204);
  expect((await owner.call('DELETE', path)).status).toBe(204);
  expect((await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} })).status).toBe(200);
  const { body: log } = await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=20');
  const actions = log.results.map(({ action }: { action: string }) => action);
  expect(actions.filter((action: string) => /lock_deploys/.test(action))).toEqual([
    'unlock_deploys',
    'lock_deploys',
  ]);
});

test('a lock ends at its time, and cannot end in the past', async () => {
  await using server = await startTestServer();
  const owner = await server.person('publisher');
  const { guid } = await publish(owner, { 'index.html': 'hello' });
  const path = `/v1/content/${guid}/deploy-lock`;
  const at = (offset: number) => ({ reason: 'freeze', until: new Date(Date.now() + offset).toISOString() });
  expect(await owner.call('PUT', path, { body: at(-HOUR) })).toMatchObject({
    status: 400,
    body: { code: 25 },
  });
  expect(await owner.call('PUT', path, { body: { reason: 'freeze', until: 'soon' } })).toMatchObject({
    status: 400,
    body: { code: 136 },
  });
  expect((await owner.call('PUT', path, { body: { reason: 'freeze' } })).body).toMatchObject({ until: null });
  // As if its hour had passed.
  const { db } = server.running.services.storage;
  await db.updateTable('deploy_lock').set({ until: 1 }).execute();
  expect((await owner.call('GET', path)).status).toBe(404);
  expect((await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} })).status).toBe(200);
});
