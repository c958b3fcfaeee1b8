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

test('names the target of the document in the editor, if it has its own', () => {
  const page = { ...record, guid: 'p', entrypoint: 'page.html', name: 'page' };
  const both = { ...stateOf('/a'), targets: [record, page] };
  expect(inView([both], '/a/page.html')?.active).toBe(page);
  expect(inView([both], '/a/style.css')?.active).toBe(both.active);
});

test('names the target by its own name or its server', () => {
  expect(statusText([], undefined).text).toBe('$(rocket) Publish');
  expect(statusText([], stateOf('/a', 'staging')).text).toBe('$(rocket) Publish to staging');
  expect(statusText([], stateOf('/a')).text).toBe('$(rocket) Publish to connect.example.com');
});

test('shows a failure for its own directory with the cause, and none after success', () => {
  const failed = run('/a', { state: 'failed' });
  expect(statusText([failed], stateOf('/a'))).toMatchObject({ failed: true, tooltip: 'report: it broke' });
  expect(statusText([failed], stateOf('/b')).failed).toBe(false);
  expect(statusText([run('/a', { state: 'done', url: 'u' })], stateOf('/a')).failed).toBe(false);
});

test('shows a failure only with its own target, but a running publish always', () => {
  const other = { guid: 'other', server: 'https://connect.example.com' };
  const shown = (rest: object) => statusText([run('/a', { ...other, ...rest })], stateOf('/a'));
  expect(shown({ state: 'failed' })).toMatchObject({ failed: false });
  expect(shown({ state: 'failed', guid: 'g' })).toMatchObject({ failed: true });
  expect(shown({ state: 'running' }).text).toBe('$(loading~spin) report: it broke');
});

test('shows a running publish whatever is in view, and the one in view first', () => {
  const runs = [
    run('/b', { state: 'running', name: 'b', text: 'Uploading' }),
    run('/a', { state: 'running', name: 'a', text: 'Bundling' }),
  ];
  expect(statusText(runs, stateOf('/a')).text).toBe('$(loading~spin) a: Bundling');
  expect(statusText(runs, stateOf('/c')).text).toBe('$(loading~spin) b: Uploading');
});

test('picks the nearest directory with the file, else the only one', () => {
  const all = [stateOf('/project'), stateOf('/project/app')];
  expect(inView(all, '/project/app/data/x.csv')?.dir).toBe('/project/app');
  expect(inView(all, '/project/application.R')?.dir).toBe('/project');
  expect(inView(all, undefined)).toBeUndefined();
  expect(inView([stateOf('/project')], undefined)?.dir).toBe('/project');
});
