// Covers control groups: they contain every descendant of a process, however it detaches itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemIds } from '../../platform/clock.ts';
import { processesWith } from '../testing.ts';
import { findCgroups, type Cgroup } from './cgroups.ts';
import { createLocalStarter } from './local-starter.ts';

const cgroups = await findCgroups();
const NO_LIMITS = { memory: 0, processes: 0 };

/** Starts a process in the group that leaves its process group and its parent. */
async function leaveIn(group: Cgroup, sleep: string): Promise<void> {
  const joins = group.joins.map((file) => `echo $$ > ${file}`).join('; ');
  const child = spawn('sh', ['-c', `${joins}; setsid -f ${sleep}`], { stdio: 'ignore' });
  await once(child, 'exit');
  expect(await processesWith(sleep)).toHaveLength(1);
}

it.runIf(cgroups !== null)(
  'removing a control group ends processes that left their process group',
  async () => {
    const group = await cgroups!.create(systemIds().taskId(), NO_LIMITS);
    // The fraction distinguishes this sleep from those of other tests.
    const sleep = `sleep 1000.${process.pid}`;
    await leaveIn(group, sleep);
    await group.remove();
    expect(await processesWith(sleep)).toEqual([]);
  },
);

it.runIf(cgroups !== null)(
  'the next start removes control groups of a killed server and no others',
  async () => {
    const [own, other] = [await mkdtemp(join(tmpdir(), 'a-')), await mkdtemp(join(tmpdir(), 'b-'))];
    const [ofOwn, ofOther] = [await findCgroups(own), await findCgroups(other)];
    const [left, kept] = [await ofOwn!.create('left', NO_LIMITS), await ofOther!.create('kept', NO_LIMITS)];
    const [sleep, otherSleep] = [`sleep 1001.${process.pid}`, `sleep 1002.${process.pid}`];
    await leaveIn(left, sleep);
    await leaveIn(kept, otherSleep);
    const mode = { mode: 'auto', runAs: '', id: systemIds().taskId(), hidden: [], network: false } as const;
    await using _next = await createLocalStarter({
      ...mode,
      dataDir: own,
      isAlone: true,
      ...NO_LIMITS,
      disk: 0,
    });
    expect(await processesWith(sleep)).toEqual([]);
    expect(left.joins.filter((file) => existsSync(file))).toEqual([]);
    expect(await processesWith(otherSleep)).toHaveLength(1);
    await kept.remove();
    for (const directory of [own, other]) await rm(directory, { recursive: true });
  },
);

it('findCgroups returns null where none are mounted', async () => {
  // Like an empty /sys/fs/cgroup: no directory can be created in /proc.
  expect(await findCgroups(undefined, '/proc')).toBeNull();
});
