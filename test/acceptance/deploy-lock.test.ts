// Covers deploy locks: deploys are refused with the reason until the lock expires or is removed.
import { readdir } from 'node:fs/promises';
import { finishedTask, publish, startTestServer, upload } from '@pressroom/testkit';
import { expect, test } from 'vitest';

const HOUR = 3_600_000;

test('a deploy lock stops every way to deploy and returns its reason', async () => {
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

test('a lock ends at its time, which cannot be in the past', async () => {
  await using server = await startTestServer();
  const owner = await server.person('publisher');
  const { guid } = await publish(owner, { 'index.html': 'hello' });
  const path = `/v1/content/${guid}/deploy-lock`;
  const at = (offset: number) => ({ reason: 'freeze', until: new Date(Date.now() + offset).toISOString() });
  expect(await owner.call('PUT', path, { body: at(-HOUR) })).toMatchObject({
    status: 400,
    body: { code: 25 },
  });
  for (const until of ['soon', '9999-12-31T00:00:00Z'])
    expect(await owner.call('PUT', path, { body: { reason: 'freeze', until } })).toMatchObject({
      status: 400,
      body: { code: 136 },
    });
  expect((await owner.call('PUT', path, { body: { reason: 'freeze' } })).body).toMatchObject({ until: null });
  // As if the lock had expired.
  const { db } = server.running.services.storage;
  await db.updateTable('deploy_lock').set({ until: 1 }).execute();
  expect((await owner.call('GET', path)).status).toBe(404);
  expect((await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} })).status).toBe(200);
});

test('a running deploy fails if deploys are locked or its deployer loses the right', async () => {
  await using server = await startTestServer();
  const owner = await server.person('publisher');
  const admin = await server.administrator();
  const colleague = await server.person('publisher');
  const { guid, path } = await publish(owner, { 'index.html': 'before' });
  const permissions = `/v1/content/${guid}/permissions`;
  const grant = { principal_guid: colleague.guid, principal_type: 'user', role: 'owner' };
  const { id } = (await owner.call('POST', permissions, { body: grant })).body;
  const { deploys } = server.running.services;
  const { run } = deploys;
  const lock = `/v1/content/${guid}/deploy-lock`;
  const meanwhile: [string, () => Promise<{ status: number }>][] = [
    [
      'deploys of the content are locked: freeze',
      () => owner.call('PUT', lock, { body: { reason: 'freeze' } }),
    ],
    ['may no longer deploy', () => owner.call('DELETE', `${permissions}/${id}`)],
    [
      'may no longer deploy',
      () => admin.call('POST', `/v1/users/${colleague.guid}/lock`, { body: { locked: true } }),
    ],
  ];
  for (const [why, change] of meanwhile) {
    const bundle = await upload(colleague, guid, { 'index.html': 'after' });
    let changed = 0;
    deploys.run = async (...deploy) => {
      changed = (await change()).status;
      return run(...deploy);
    };
    const asked = await colleague.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: bundle } });
    expect(asked.status, why).toBe(200);
    const task = await finishedTask(owner, asked.body.task_id);
    deploys.run = run;
    expect(changed, why).toBeLessThan(300);
    expect(task).toMatchObject({ code: 22, error: expect.stringContaining(why) });
    expect((await owner.call('GET', path)).bytes.toString()).toBe('before');
    // The files of the failed deploy are removed without waiting for another one.
    await expect.poll(() => readdir(deploys.siteDirectory(guid, ''))).toHaveLength(1);
    if (why.endsWith('freeze')) await owner.call('DELETE', lock);
    else await owner.call('POST', permissions, { body: grant });
  }
});
