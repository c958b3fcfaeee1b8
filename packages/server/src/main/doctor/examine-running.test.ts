// Covers the checks of a running server: one at a time, each with a timeout, and without secrets.
import { expect, test } from 'vitest';
import { loadConfig } from '../config/load-config.ts';
import { createExamination } from './examine-running.ts';
import { examine } from './examine.ts';
import { bad, good } from './finding.ts';

const config = loadConfig(
  {},
  { 'Database.URL': 'postgres://me:p%40ssword@db/x', 'Mail.URL': 'smtp://me:letmein@mail' },
);

test('refuses a second examination while one runs or a late check is unfinished', async () => {
  const gate = Promise.withResolvers<void>();
  const slow = async () => {
    await gate.promise;
    return [good('Slow', 'done')];
  };
  const examine = createExamination({ config }, [['Slow', slow]], 1);
  const first = examine();
  expect(await examine()).toBeNull();
  expect(await first).toEqual([
    {
      name: 'Slow',
      state: 'warning',
      message: 'no response within 0.001 seconds',
      remedy: 'Try again; see the log of the server.',
    },
  ]);
  expect(await examine()).toBeNull();
  gate.resolve();
  await expect.poll(examine).not.toBeNull();
});

test('masks secrets of the settings and reports a failed check as a finding', async () => {
  const examine = createExamination({ config }, [
    ['Database', async () => [bad('Database', `no response from ${config['Database.URL']}`, 'try p@ssword')]],
    ['Mail', () => Promise.reject(new Error('letmein is wrong'))],
  ]);
  expect(await examine()).toEqual([
    { name: 'Database', state: 'bad', message: 'no response from ***', remedy: 'try ***' },
    { name: 'Mail', state: 'warning', message: '*** is wrong', remedy: '' },
  ]);
});

test('masks a password that contains a literal %', async () => {
  const own = loadConfig({}, { 'Mail.URL': 'smtp://me:100%25%sure@mail' });
  const check = async () => [bad('Mail', '100%25%sure', '')];
  const found = await createExamination({ config: own }, [['Mail', check]])();
  expect(found?.[0]?.message).toBe('***');
});

test('examine continues after a check that throws or times out, and masks secrets', async () => {
  const found = await examine(
    config,
    [
      ['Broken', () => Promise.reject(new Error('letmein'))],
      ['Endless', () => new Promise(() => undefined)],
      ['Fine', async () => [good('Fine', 'p@ssword')]],
    ],
    10,
  );
  expect(found.map(({ what, state, message }) => [what, state, message])).toEqual([
    ['Broken', 'bad', '***'],
    ['Endless', 'warning', 'no response within 0.01 seconds'],
    ['Fine', 'good', '***'],
  ]);
});
