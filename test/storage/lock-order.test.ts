// Covers rows that all writers of a kind lock: the last audit entry and the last event. Whoever locks both uses one order.
import {
  finishedTask,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Audit } from '../../packages/server/src/audit/record.ts';
import { startDeploy, startRender } from '../../packages/server/src/deploys/start-deploy.ts';
import { callerOf } from '../../packages/server/src/git/deploy-commit.ts';
import { createVariant, updateVariant } from '../../packages/server/src/variants/commands.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let owner: Person;
beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  const events = { 'Events.Webhooks': 'http://127.0.0.1:9/', 'Events.WebhookSecret': 'x'.repeat(32) };
  server = stack.use(await startTestServer({ settings: { ...settings, ...events } }));
  owner = await server.person('publisher');
});
afterAll(() => stack.disposeAsync());

const document = () =>
  publish(owner, quickDocument('print(region)', { region: 'North' }), { metadata: QUICK_DOCUMENT });

/**
 * Starts a rendering of other content once `work` has written an audit entry, and continues when the rendering waits
 * for a lock. Returns the task of the rendering.
 */
async function besideARender(work: (audit: Audit) => Promise<unknown>) {
  const { services } = server.running;
  const caller = await callerOf(services.storage.db, { user_guid: owner.guid });
  const { guid } = await document();
  const isWaiting = async () => {
    const found = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(services.storage.db);
    return found.rows[0]?.n;
  };
  let other: Promise<string> | undefined;
  await work(async (...given) => {
    await services.audit(...given);
    if (other !== undefined) return;
    other = startRender(services, caller, guid);
    await expect.poll(isWaiting).toBeGreaterThan(0);
  });
  return finishedTask(owner, await other!);
}

test('creates and updates variants during a rendering of other content without a deadlock', async () => {
  const { services } = server.running;
  const caller = await callerOf(services.storage.db, { user_guid: owner.guid });
  const { guid } = await document();
  let key = '';
  const made = await besideARender(async (audit) => {
    key = await createVariant({ ...services, audit }, caller, guid, { name: 'South' });
  });
  const changed = await besideARender((audit) =>
    updateVariant({ ...services, audit }, caller, guid, key, { values: { region: 'South' } }),
  );
  expect([made, changed]).toMatchObject([{ code: 0 }, { code: 0 }]);
});

test('replaces void approvals during a rendering of other content without a deadlock', async () => {
  const { services } = server.running;
  const caller = await callerOf(services.storage.db, { user_guid: owner.guid });
  const { guid } = await document();
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const ask = async (audit = services.audit) => {
    const bundle_id = await upload(owner, guid, quickDocument('print(1)'), QUICK_DOCUMENT);
    const request = { bundle_id, activate: true, preview: null };
    await expect(startDeploy({ ...services, audit }, caller, guid, request)).rejects.toMatchObject({
      code: 22,
    });
  };
  await ask();
  expect(await besideARender((audit) => ask(audit))).toMatchObject({ code: 0 });
});
