import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { probeIsolation } from './isolation.ts';
import { seccompFilter } from './seccomp.ts';
import { findTools } from './tools.ts';

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050000 | 38;
const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;

/** Runs the filter program as the kernel does, and returns its result. */
function run(program: Buffer, arch: number, call: number, args: readonly number[] = []): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(arch, 4);
  args.forEach((value, i) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * i));
  let loaded = 0;
  for (let at = 0; ; at++) {
    const code = program.readUInt16LE(at * 8);
    const constant = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) loaded = data.readUInt32LE(constant);
    else if (code === 0x06) return constant;
    else {
      const holds =
        code === 0x15 ? loaded === constant : code === 0x35 ? loaded >= constant : (loaded & constant) !== 0;
      at += program.readUInt8(at * 8 + (holds ? 2 : 3));
    }
  }
}

describe.each([
  {
    name: 'x64',
    arch: X64,
    mount: 165,
    read: 0,
    clone: 56,
    unshare: 272,
    socket: 41,
    socketpair: 53,
    ioctl: 16,
    persona: 135,
  },
  {
    name: 'arm64',
    arch: ARM64,
    mount: 40,
    read: 63,
    clone: 220,
    unshare: 97,
    socket: 198,
    socketpair: 199,
    ioctl: 29,
    persona: 92,
  },
])(
  'seccomp filter for $name',
  ({ name, arch, mount, read, clone, unshare, socket, socketpair, ioctl, persona }) => {
    const program = seccompFilter(name)!;
    const ask = (call: number, ...args: number[]): number => run(program, arch, call, args);

    it('allows ordinary calls and rejects mount', () => {
      expect([ask(read), ask(mount)]).toEqual([ALLOW, EPERM]);
    });

    it('kills the process at calls of a foreign architecture', () => {
      expect(run(program, 0x40000003, read)).toBe(KILL);
      expect(run(program, arch === X64 ? ARM64 : X64, read)).toBe(KILL);
      if (name === 'x64') expect(ask(0x40000000 + 165)).toBe(KILL);
    });

    it('allows threads and processes, but no namespaces', () => {
      expect(ask(clone, 0x003d0f00)).toBe(ALLOW);
      expect(ask(clone, 17)).toBe(ALLOW);
      for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
        expect(ask(clone, flag | 17)).toBe(EPERM);
        expect(ask(unshare, flag)).toBe(EPERM);
      }
      expect([ask(unshare, 0x80), ask(unshare, 0x400), ask(435)]).toEqual([EPERM, ALLOW, ENOSYS]);
    });

    it('allows internet and local sockets only', () => {
      expect([1, 2, 10].map((family) => ask(socket, family, 1, 0))).toEqual([ALLOW, ALLOW, ALLOW]);
      expect([ask(socket, 16, 3, 0), ask(socket, 16, 3, 9)]).toEqual([ALLOW, 0x00050000 | 93]);
      // AF_PACKET, AF_ALG, AF_VSOCK
      for (const family of [17, 38, 40]) expect(ask(socket, family, 1, 0)).toBe(0x00050000 | 97);
      // AF_UNIX, AF_NETLINK, AF_PACKET, AF_TIPC
      expect([1, 16, 17, 30].map((family) => ask(socketpair, family, 1, 0))).toEqual([
        ALLOW,
        ...Array<number>(3).fill(0x00050000 | 97),
      ]);
    });

    it('rejects TIOCSTI and disabling ASLR, whatever the upper half of the argument is', () => {
      expect([ask(ioctl, 0, 0x5401), ask(ioctl, 0, 0x5412), ask(ioctl, 0, 2 ** 32 + 0x5412)]).toEqual([
        ALLOW,
        EPERM,
        EPERM,
      ]);
      expect([ask(persona, 0), ask(persona, 0xffffffff), ask(persona, 0x40000)]).toEqual([
        ALLOW,
        ALLOW,
        EPERM,
      ]);
    });
  },
);

it('seccompFilter returns null for an unknown architecture', () => {
  expect(seccompFilter('riscv64')).toBeNull();
});

const { isolation } = await probeIsolation({
  mode: 'auto',
  runAs: '',
  tools: findTools(),
  separated: false,
});
const { mounts } = isolation;

/** Runs a command in bubblewrap, with or without the filter, and returns its output. */
async function inside(command: readonly string[], filtered = true): Promise<string> {
  const system = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    '--unshare-pid',
  ];
  const filter = filtered ? ['--seccomp', '3'] : [];
  const child = spawn('/usr/bin/bwrap', [...system, ...filter, '--', ...command], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin', HOME: '/tmp' },
  });
  (child.stdio[3] as Writable).on('error', () => undefined).end(seccompFilter());
  const [out, errors] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'exit')]);
  return `${out}${errors}`.trim();
}

const ATTEMPTS = `
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
x = platform.machine() == 'x86_64'
def call(name, number, *args):
    ctypes.set_errno(0)
    done = libc.syscall(number, *args)
    print(name, 'worked' if done >= 0 else os.strerror(ctypes.get_errno()))
call('user namespace', 272 if x else 97, 0x10000000)
call('mount', 165 if x else 40, b'none', b'/tmp', b'tmpfs', 0, None)
call('ptrace', 101 if x else 117, 0, 0, 0, 0)
call('keys', 250 if x else 219, 0, -3, 0)
call('bpf', 321 if x else 280, 0, 0, 0)
call('ring', 425, 1, 0)
call('packets', 53 if x else 199, 17, 3, 0, (ctypes.c_int * 2)())
`;

describe.runIf(mounts && seccompFilter() !== null)('Content under the seccomp filter', () => {
  it('cannot create user namespaces, mount, trace, use keys or load BPF programs', async () => {
    const printed = await inside(['/usr/bin/python3', '-c', ATTEMPTS]);
    for (const name of ['user namespace', 'mount', 'ptrace', 'keys', 'bpf', 'ring'])
      expect(printed).toContain(`${name} Operation not permitted`);
    expect(printed).toContain('packets Address family not supported');
    expect(await inside(['/usr/bin/python3', '-c', ATTEMPTS], false)).toContain('user namespace worked');
  });

  it('runs Python with threads, processes and sockets', async () => {
    const script = `
import asyncio, concurrent.futures as f, multiprocessing as m, socket, subprocess, sys
with f.ThreadPoolExecutor(4) as pool: print(sum(pool.map(int, '1234')))
with m.get_context('fork').Pool(2) as pool: print(sum(pool.map(abs, [-1, -2])))
print(subprocess.run([sys.executable, '-c', 'print("child")'], capture_output=True, text=True).stdout.strip())
async def main():
    process = await asyncio.create_subprocess_exec('/bin/echo', 'loop', stdout=-1)
    print((await process.communicate())[0].decode().strip())
asyncio.run(main())
for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6): socket.socket(family).close()
print(len(socket.if_nameindex()) > 0)
`;
    expect((await inside(['/usr/bin/python3', '-c', script])).split('\n')).toEqual([
      '10',
      '3',
      'child',
      'loop',
      'True',
    ]);
  });

  it('runs R with child processes', async () => {
    const script =
      'cat(sum(unlist(parallel::mclapply(1:4, identity, mc.cores = 2))), system("echo shell", intern = TRUE))';
    expect(await inside(['/usr/bin/Rscript', '-e', script])).toBe('10 shell');
  });
});
