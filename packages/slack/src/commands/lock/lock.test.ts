import { expect, test } from 'vitest';
import { CONTENT, openBench, read, refuse } from '../testing/open-bench.ts';

test('locks for a time, with the reason', async () => {
  const server = { setDeployLock: (lock: object) => lock };
  const { say, called } = await openBench({ server });
  const shown = read(await say('lock sales-report --reason "Quarter-end freeze" --for 2d'));
  expect(called('setDeployLock')).toEqual([
    { guid: CONTENT.guid, reason: 'Quarter-end freeze', until: '2026-03-06T12:00:00.000Z' },
  ]);
  expect(shown).toMatch(/Deploys of \*Sales\* are locked.*<!date\^.*Quarter-end freeze/);
});

test('locks without an end, and cuts a long reason to what the server takes', async () => {
  const { say, called } = await openBench({ server: { setDeployLock: (lock: object) => lock } });
  expect(read(await say(`lock sales-report --reason ${'x'.repeat(900)}`))).not.toContain('<!date');
  expect(called('setDeployLock')).toEqual([{ guid: CONTENT.guid, reason: 'x'.repeat(500), until: null }]);
});

test.each([
  ['lock sales-report', /--reason/],
  ['lock sales-report --reason freeze --for soon', /--for/],
  ['lock --reason freeze', /Missing argument/],
])('%s locks nothing, and says what is missing', async (line, shown) => {
  const { say, called } = await openBench();
  expect(read(await say(line))).toMatch(shown);
  expect(called('setDeployLock')).toEqual([]);
});

test('a refusal is shown in the server’s words', async () => {
  const { say } = await openBench({ server: { setDeployLock: refuse(22, 'only collaborators can lock') } });
  expect(read(await say('lock sales-report --reason x'))).toContain('only collaborators can lock (code 22)');
});
