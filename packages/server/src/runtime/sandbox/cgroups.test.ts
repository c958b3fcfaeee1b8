// A control group knows all that was started in it, whatever processes do to get away from each other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { systemIds } from '../../platform/clock.ts';
import { processesWith } from '../testing.ts';
import { findCgroups } from './cgroups.ts';

const cgroups = await findCgroups();

it.runIf(cgroups !== null)('what left its group and its parents ends with its control group', async () => {
  const group = await cgroups!.create(systemIds().taskId(), { memory: 0, processes: 0 });
  // The number tells this sleep from those of other tests.
  const seconds = `1000.${process.pid}`;
  const joins = group.joins.map((file) => `echo $$ > ${file}`).join('; ');
  const child = spawn('sh', ['-c', `${joins}; setsid -f sleep ${seconds}`], { stdio: 'ignore' });
  await once(child, 'exit');
  expect(await processesWith(`sleep ${seconds}`)).toHaveLength(1);
  await group.remove();
  expect(await processesWith(`sleep ${seconds}`)).toEqual([]);
});
