// Covers when schedules run if the system clock was wrong, and after a restart that interrupted a render.
import {
  finishedTask,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
} from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { createSchedules } from '../../packages/server/src/schedules/schedules.ts';

const DAY = 86_400_000_000;

test('a clock that was ahead delays schedules no longer than it was ahead', async () => {
  await using renderer = await makeQuickRenderer();
  await using server = await startTestServer({ settings: renderer.settings });
  const { services } = server.running;
  const owner = await server.person('publisher');
  const { guid } = await publish(owner, quickDocument('print(1)'), { metadata: QUICK_DOCUMENT });
  const path = `/v1/content/${guid}/schedule`;
  // Never due while the test runs.
  const cron = `0 ${(new Date().getUTCHours() + 12) % 24} * * *`;
  const set = await owner.call('PUT', path, { body: { cron, timezone: 'UTC' } });
  const next = async () => (await owner.call('GET', path)).body.next_time;
  let ahead = 0;
  const clock = { now: () => services.clock.now() + ahead };
  const start = () => createSchedules({ ...services, clock });

  // The server starts with a wrong clock, and again with the right one.
  ahead = 365 * DAY;
  {
    using wrong = start();
    const [task] = await wrong.runDue();
    expect((await finishedTask(owner, task!)).code).toBe(0);
  }
  ahead = 0;
  {
    using right = start();
    expect(await right.runDue()).toEqual([]);
    expect(await next()).toBe(set.body.next_time);
  }
  // The clock is corrected while the server runs.
  using schedules = start();
  await schedules.runDue();
  ahead = 30 * DAY;
  const tasks = await schedules.runDue();
  expect(tasks).toHaveLength(1);
  expect((await finishedTask(owner, tasks[0]!)).code).toBe(0);
  ahead = 0;
  expect(await schedules.runDue()).toEqual([]);
  expect(await next()).toBe(set.body.next_time);
  // A server whose clock is 2 s behind starts after another one has rendered: it must not render again.
  const due = Date.parse(set.body.next_time) * 1000;
  ahead = due - services.clock.now() + 1_000_000;
  const [last] = await schedules.runDue();
  expect((await finishedTask(owner, last!)).code).toBe(0);
  const planned = await next();
  ahead = due - services.clock.now() - 1_000_000;
  using behind = start();
  expect(await behind.runDue()).toEqual([]);
  expect(await next()).toBe(planned);
});

test('a schedule whose time zone no longer exists renders once more, and can be replaced', async () => {
  await using renderer = await makeQuickRenderer();
  await using server = await startTestServer({ settings: renderer.settings });
  const { services } = server.running;
  const owner = await server.person('publisher');
  const { guid } = await publish(owner, quickDocument('print(1)'), { metadata: QUICK_DOCUMENT });
  const path = `/v1/content/${guid}/schedule`;
  await owner.call('PUT', path, { body: { cron: '0 5 1 1 *' } });
  await services.storage.db.updateTable('schedule').set({ timezone: 'Mars/Base' }).execute();
  const clock = { now: () => services.clock.now() + 366 * DAY };
  using schedules = createSchedules({ ...services, clock });
  const [task] = await schedules.runDue();
  expect((await finishedTask(owner, task!)).code).toBe(0);
  expect(await schedules.runDue()).toEqual([]);
  expect((await owner.call('GET', path)).body).toMatchObject({ timezone: 'Mars/Base', next_time: null });
  expect((await owner.call('PUT', path, { body: { cron: '0 5 1 1 *' } })).status).toBe(200);
});

test('a scheduled render that a restart interrupted is started again, at most twice', async () => {
  await using renderer = await makeQuickRenderer();
  await using server = await startTestServer({ engine: 'sqlite', settings: renderer.settings });
  const owner = await server.person('publisher');
  const { guid } = await publish(owner, quickDocument('print(1)'), { metadata: QUICK_DOCUMENT });
  const { bundle_id } = (await owner.call('GET', `/v1/content/${guid}`)).body;
  const path = `/v1/content/${guid}/schedule`;
  const set = await owner.call('PUT', path, { body: { cron: '0 5 1 1 *' } });
  const next = async () => (await owner.call('GET', path)).body.next_time;
  const rendered = async () => {
    const { db } = server.running.services.storage;
    const renders = db.selectFrom('task').selectAll().where('mails', '=', 1).where('finished', '=', 1);
    return (await renders.orderBy('created_time').execute()).map(({ code }) => code);
  };
  const interrupt = async (times: number) => {
    const { storage, tasks } = server.running.services;
    const subject = {
      kind: 'render',
      content_guid: guid,
      bundle_id: Number(bundle_id),
      user_guid: owner.guid,
      mails: 1,
    } as const;
    for (let time = 0; time < times; time += 1) await storage.write((tx) => tasks.create(tx, subject));
    await server.restart();
  };

  await interrupt(1);
  await expect.poll(rendered).toEqual([1, 0]);
  expect(await next()).toBe(set.body.next_time);
  await server.restart();
  await interrupt(3);
  expect(await next()).toBe(set.body.next_time);
  expect(await rendered()).toEqual([1, 0, 1, 1, 1]);
});
