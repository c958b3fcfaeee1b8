// Covers the options of containers.
import { expect, it } from 'vitest';
import { containerOptions, containerScript } from './container-options.ts';

const PLACE = {
  memory: 0,
  processes: 0,
  fileSize: 0,
  cpus: 0,
  account: { uid: 7, gid: 8 },
  directory: '/tmp/run/own',
  passwd: null,
  network: 'none',
  labels: {},
  copies: new Map(),
  volumes: [],
};
const COMMAND = { file: 'python3', args: ['app.py'], cwd: '/site' };

it('mounts a path that is readable and writable once, as writable', () => {
  const command = { ...COMMAND, readable: ['/packages', '/site', '/packages'], writable: ['/site'] };
  const { Mounts = [] } = containerOptions(command, 'sha256:0', PLACE).HostConfig ?? {};
  expect(Mounts.map(({ Source, Target, ReadOnly }) => [Source, Target, ReadOnly])).toEqual([
    ['/tmp/run/own', '/home/content', false],
    ['/packages', '/packages', true],
    ['/site', '/site', false],
  ]);
});

it('mounts a copy in place of what the engine may not see', () => {
  const place = { ...PLACE, copies: new Map([['/opt/run.py', '/tmp/run/run.py']]) };
  const { Mounts } =
    containerOptions({ ...COMMAND, readable: ['/opt/run.py'] }, 'sha256:0', place).HostConfig ?? {};
  expect(Mounts).toContainEqual(
    expect.objectContaining({ Source: '/tmp/run/run.py', Target: '/opt/run.py', ReadOnly: true }),
  );
});

it('mounts the accounts of a process over those of the image, read-only', () => {
  const { Mounts } =
    containerOptions(COMMAND, 'sha256:0', { ...PLACE, passwd: '/tmp/run/ownp' }).HostConfig ?? {};
  expect(Mounts).toContainEqual(
    expect.objectContaining({ Source: '/tmp/run/ownp', Target: '/etc/passwd', ReadOnly: true }),
  );
});

it('is ended before the server when the machine runs out of memory', () => {
  expect(containerOptions(COMMAND, 'sha256:0', PLACE).HostConfig).toMatchObject({ OomScoreAdj: 1000 });
});

it('treats a limit of 0 as no limit', () => {
  const none = containerOptions(COMMAND, 'sha256:0', PLACE).HostConfig;
  expect(none).not.toHaveProperty('PidsLimit');
  expect(none).not.toHaveProperty('NanoCpus');
  const some = containerOptions(COMMAND, 'sha256:0', { ...PLACE, processes: 10, cpus: 1.5, memory: 100 });
  expect(some.HostConfig).toMatchObject({ PidsLimit: 12, NanoCpus: 1.5e9, Memory: 100, MemorySwap: 100 });
});

it('mounts volumes of the image in memory, not on the disk of the engine', () => {
  const place = { ...PLACE, volumes: ['/data', '/tmp', '/site/', '/home/content', 'var/lib/x/'] };
  const { Tmpfs, Mounts = [] } =
    containerOptions({ ...COMMAND, writable: ['/site'] }, 'sha256:0', place).HostConfig ?? {};
  expect(Object.keys(Tmpfs ?? {}).toSorted()).toEqual(['/data', '/tmp', '/var/lib/x', '/var/tmp']);
  expect(Mounts.map(({ Target }) => Target)).toEqual(['/home/content', '/site']);
});

it('passes variables in the shell script, not in the options of the engine', () => {
  const command = { ...COMMAND, env: { TOKEN: "it's secret" } };
  expect(JSON.stringify(containerOptions(command, 'sha256:0', PLACE))).not.toContain('secret');
  expect(containerScript(command, null)).toContain(`export TOKEN='it'\\''s secret'`);
});
