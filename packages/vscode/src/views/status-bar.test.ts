import { expect, test } from 'vitest';
import type { Run } from '../store/runs.ts';
import type { DirectoryState } from '../store/store.ts';
import { inView, statusText } from './status-bar.ts';

const record = {
  server: 'https://connect.example.com',
  guid: 'g',
  name: 'report',
  app_mode: 'static',
  entrypoint: null,
  bundle_id: '1',
  deployed_time: '2026-01-01T00:00:00Z',
  file: '/a/x.toml',
};
const stateOf = (dir: string, target?: string): DirectoryState => {
  const active = { ...record, ...(target !== undefined && { target }) };
  return { dir, targets: [active], active, problem: null };
};
const run = (dir: string, rest: object): Run =>
  ({ dir, name: 'report', server: 'https://x', target: 'x', text: 'it broke', ...rest }) as Run;

test('the target is named, by its own name or by its server', () => {
  expect(statusText([], undefined).text).toBe('$(rocket) Publish');
  expect(statusText([], stateOf('/a', 'staging')).text).toBe('$(rocket) Publish to staging');
  expect(statusText([], stateOf('/a')).text).toBe('$(rocket) Publish to connect.example.com');
});

test('a failure is shown with what failed, and no longer than until the next publish', () => {
  const failed = run('/a', { state: 'failed' });
  expect(statusText([failed], stateOf('/a'))).toMatchObject({ failed: true, tooltip: 'report: it broke' });
  expect(statusText([failed], stateOf('/b')).failed).toBe(false);
  expect(statusText([run('/a', { state: 'done', url: 'u' })], stateOf('/a')).failed).toBe(false);
});

test('a failure of another target is not shown with the active one, unless its end has to be checked', () => {
  const other = { guid: 'other', server: 'https://connect.example.com' };
  const shown = (rest: object) => statusText([run('/a', { ...other, ...rest })], stateOf('/a'));
  expect(shown({ state: 'failed' })).toMatchObject({ failed: false });
  expect(shown({ state: 'failed', guid: 'g' })).toMatchObject({ failed: true });
  expect(shown({ state: 'running' }).text).toBe('$(loading~spin) report: it broke');
});

test('what runs is shown whatever is in view, first what is in view', () => {
  const runs = [
    run('/b', { state: 'running', name: 'b', text: 'Uploading' }),
    run('/a', { state: 'running', name: 'a', text: 'Bundling' }),
  ];
  expect(statusText(runs, stateOf('/a')).text).toBe('$(loading~spin) a: Bundling');
  expect(statusText(runs, stateOf('/c')).text).toBe('$(loading~spin) b: Uploading');
});

test('in view is the nearest directory that holds the file, else the only one', () => {
  const all = [stateOf('/project'), stateOf('/project/app')];
  expect(inView(all, '/project/app/data/x.csv')?.dir).toBe('/project/app');
  expect(inView(all, '/project/application.R')?.dir).toBe('/project');
  expect(inView(all, undefined)).toBeUndefined();
  expect(inView([stateOf('/project')], undefined)?.dir).toBe('/project');
});
