import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readRecords } from '@pressroom/api/publish';
import { createExtensionBench } from '../testing/bench.ts';
import { said } from '../testing/fake-vscode.ts';
import { explain } from '../ui/explain.ts';
// @ts-ignore
import { MockConnectServer } from '/tmp/mc/test/mock-connect/src/mock-connect-server.ts';
let mock: any;
import { readFileSync } from 'node:fs';
const details = JSON.parse(
  readFileSync('/tmp/mc/test/mock-connect/fixtures/connect-responses/content-details.json', 'utf8'),
);
const call = async (method: string, path: string, body?: unknown) => {
  const r = await fetch(`${mock.url}${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return r.status === 204 ? null : r.json();
};
beforeAll(async () => {
  mock = new MockConnectServer();
  await mock.start();
});
afterAll(() => mock.stop());
beforeEach(async () => {
  said.reset();
  await call('DELETE', '/__test__/response-overrides');
  await call('DELETE', '/__test__/requests');
});
const requests = async () =>
  ((await call('GET', '/__test__/requests')) as any[]).map((r) => `${r.method} ${r.path}`);
test('publish, again, rollback, variables', async () => {
  await using b = await createExtensionBench(mock.url, 'key');
  const r = await b.publisher.publish(b.dir, { again: { server: mock.url, title: 'T' } });
  console.log('FIRST', JSON.stringify(r), (await requests()).join('\n'), said.messages, b.lines.join('\n'));
  await call('DELETE', '/__test__/requests');
  console.log(
    'AGAIN',
    JSON.stringify(await b.publisher.publish(b.dir)),
    (await requests()).join('\n'),
    said.messages,
    said.picks,
  );
  const [record] = await readRecords(b.dir);
  console.log(
    'VARS',
    await b.history.setVariables(record!, [{ name: 'A', value: 'x' }]).catch(explain),
    await b.history.variables(record!).catch(explain),
  );
  for (const [name, f] of Object.entries({
    bundles: () => b.history.bundles(record!),
    procs: () => b.history.processes(record!),
    sched: () => b.history.schedule(record!),
    drafts: () => b.history.drafts(record!),
  }))
    console.log(name, JSON.stringify(await (f() as Promise<unknown>).catch(explain)));
  console.log(
    'ROLL',
    JSON.stringify(
      await b.publisher.rollback(b.dir, { server: mock.url, guid: record!.guid, bundle_id: '101' }),
    ),
    said.messages.at(-1),
  );
  console.log(
    'DRAFT',
    JSON.stringify(await b.publisher.publish(b.dir, { draft: true })),
    said.messages.at(-1),
  );
});
const steps: [string, string, string][] = [
  ['user', 'GET', '^/__api__/v1/user$'],
  ['settings', 'GET', '^/__api__/server_settings/applications$'],
  ['create', 'POST', '^/__api__/v1/content$'],
  ['patch', 'PATCH', '^/__api__/v1/content/[^/]+$'],
  ['content', 'GET', '^/__api__/v1/content/[^/]+$'],
  ['upload', 'POST', '/bundles$'],
  ['deploy', 'POST', '/deploy$'],
  ['task', 'GET', '/tasks/'],
  ['page', 'GET', '^/content/'],
];
const faults: [string, object][] = [401, 403, 404, 409, 500].map(
  (s) =>
    [
      String(s),
      {
        status: s,
        body:
          s === 401
            ? { code: 3, error: 'Key is not valid' }
            : s === 403
              ? { code: 4, error: 'You do not have permission to perform this operation' }
              : s === 404
                ? { error: 'Not found' }
                : { code: 0, error: `refused ${s}` },
      },
    ] as [string, object],
);
if (0)
  faults.push(
    ['html', { status: 200, body: '<html>proxy</html>', contentType: 'text/html' }],
    ['half', { status: 200, body: '{"guid": "a1', contentType: 'application/json' }],
    ['empty', { status: 200, body: {} }],
    ['null', { status: 200 }],
    ['html502', { status: 502, body: '<html>Bad gateway</html>', contentType: 'text/html' }],
  );
for (const before of [false, true])
  for (const [step, method, pathPattern] of steps)
    for (const [fault, answer] of faults)
      test(`${before ? 'again' : 'first'} ${step} ${fault}`, async () => {
        await using b = await createExtensionBench(mock.url, 'key');
        if (before) await b.publisher.publish(b.dir, { again: { server: mock.url } });
        await call('DELETE', '/__test__/requests');
        said.reset();
        await call('POST', '/__test__/response-override', { method, pathPattern, ...answer });
        if (before)
          await call('POST', '/__test__/response-override', {
            method: 'GET',
            pathPattern: '^/__api__/v1/content/[^/]+$',
            status: 200,
            body: { ...details, app_mode: 'static' },
          });
        const t = performance.now();
        setTimeout(() => b.runs.cancel(b.dir), 12000);
        let r: any;
        try {
          r = await b.publisher.publish(b.dir, before ? {} : { again: { server: mock.url } });
        } catch (e) {
          r = { threw: explain(e as Error) };
        }
        const ms = Math.round(performance.now() - t);
        const posts = (await requests()).filter((x) => !x.startsWith('GET'));
        const records = await readRecords(b.dir);
        console.log(
          `${before ? 'again' : 'first'} ${step} ${fault}: ${ms} ms ${r?.type ?? JSON.stringify(r)} left=${JSON.stringify(r?.left)} recs=${records.length} | ${
            said.messages.at(-1) ??
            said.picks
              .at(-1)
              ?.rows.map((x: any) => x.label)
              .join(' / ')
          } | ${posts.map((p) => p.replace(/\/__api__\/v1\/content\/[^/]+/, 'C')).join(', ')}`,
        );
      }, 90_000);
