// Covers the page of a task that renders: its lines come as they are printed, without a look each second.
import { makeQuickRenderer, publish, QUICK_DOCUMENT, quickDocument } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { makeWorld } from './world.ts';

const REPORT = quickDocument(
  `import time
log("rendering " + region)
if region == "Endless": time.sleep(100_000)`,
  { region: 'North' },
);

test('the output of a rendering is waited for in one long request, and shown as it is printed', async () => {
  await using renderer = await makeQuickRenderer();
  await using world = await makeWorld(renderer.settings);
  const { guid } = await publish(world.publisher, REPORT, { metadata: QUICK_DOCUMENT });
  const body = { name: 'Endless', values: { region: 'Endless' }, visibility: 'private' };
  const made = await world.publisher.call('POST', `/v1/content/${guid}/variants`, { body });
  const { task_id } = made.body;
  const tab = await world.enter(world.publisher);
  const asked: string[] = [];
  tab.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.includes('/__api__/')) asked.push(pathname.slice(pathname.indexOf('/v1/')) + search);
  });
  await tab.goto(`${world.root}/tasks/${task_id}`);
  const log = tab.getByRole('log');
  await log.getByText('rendering Endless').waitFor();
  // Without the time of each line, as the page begins.
  expect((await log.innerText()).split('\n')).toContain('rendering Endless');
  await world.publisher.call('POST', `/v1/tasks/${task_id}/cancel`);
  await tab.getByText('The task was cancelled.').first().waitFor();
  expect(asked.length).toBeGreaterThan(0);
  const long = new RegExp(`^/v1/tasks/${task_id}\\?output_wait=20&first=\\d+$`);
  for (const one of asked) expect(one).toMatch(long);
});
