// Covers how results are shown.
import { expect, test, vi } from 'vitest';
import { show } from './output.ts';

test('an empty list is said on standard error, and nothing is printed', async () => {
  const terminal = { print: vi.fn(), printJson: vi.fn(), note: vi.fn() };
  const shown = (json: boolean, rows: string[][]) => show({ json, terminal } as never, rows, () => rows);
  await shown(false, []);
  expect(terminal.note).toHaveBeenCalledExactlyOnceWith('Nothing to show.');
  expect(terminal.print).not.toHaveBeenCalled();
  await shown(false, [['a', 'b']]);
  expect(terminal.print).toHaveBeenCalledExactlyOnceWith('a  b');
  await shown(true, []);
  expect(terminal.printJson).toHaveBeenCalledExactlyOnceWith([]);
  expect(terminal.note).toHaveBeenCalledTimes(1);
});
