import { expect, test } from 'vitest';
import { createRuns } from './runs.ts';

const RUN = { dir: '/a', name: 'a', server: 'https://x', target: 'x', text: '' };

test('forget removes a successful run, but no running or failed one', () => {
  const runs = createRuns();
  const told: string[] = [];
  runs.onDidChange((dir) => void told.push(dir));
  runs.begin(RUN);
  runs.forget('/a');
  expect(runs.get('/a')?.state).toBe('running');
  runs.end('/a', { state: 'failed', text: 'it broke' });
  runs.forget('/a');
  expect(runs.get('/a')?.state).toBe('failed');
  runs.begin(RUN);
  runs.end('/a', { state: 'done', text: 'Draft ready', url: 'https://x' });
  told.length = 0;
  runs.forget('/a');
  expect([runs.get('/a'), told]).toEqual([undefined, ['/a']]);
});
