// Covers when schedules run if the system clock was wrong.
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
  const set = await owner.call('PUT', path, { body: { cron: '0 5 * * *' } });
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
