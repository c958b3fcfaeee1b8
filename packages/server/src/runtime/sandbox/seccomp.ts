// The seccomp filter for content: a BPF program that refuses system calls used to escape sandboxes.
import { arch as ownArch, endianness } from 'node:os';

/** Numbers of Linux system calls, for the two supported architectures. */
interface Calls {
  /** `AUDIT_ARCH_*`, which the kernel passes with every call. */
  readonly auditArch: number;
  /** Calls from this number on belong to another ABI (x32 on x86-64). */
  readonly foreignFrom: number | null;
  readonly clone: number;
  readonly unshare: number;
  readonly personality: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly ioctl: number;
  /** Refused with any arguments. */
  readonly denied: readonly number[];
}

/** Calls with the same number on all architectures: those added since Linux 5.1. */
const DENIED_EVERYWHERE = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  quotactl_fd: 443,
  process_mrelease: 448,
  open_tree_attr: 467,
};

const CLONE3 = 435;

const X64: Calls = {
  auditArch: 0xc000003e,
  foreignFrom: 0x40000000,
  clone: 56,
  unshare: 272,
  personality: 135,
  socket: 41,
  socketpair: 53,
  ioctl: 16,
  denied: Object.values({
    ...DENIED_EVERYWHERE,
    ptrace: 101,
    syslog: 103,
    uselib: 134,
    ustat: 136,
    sysfs: 139,
    vhangup: 153,
    modify_ldt: 154,
    pivot_root: 155,
    sysctl: 156,
    chroot: 161,
    acct: 163,
    settimeofday: 164,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    sethostname: 170,
    setdomainname: 171,
    iopl: 172,
    ioperm: 173,
    create_module: 174,
    init_module: 175,
    delete_module: 176,
    get_kernel_syms: 177,
    query_module: 178,
    quotactl: 179,
    nfsservctl: 180,
    lookup_dcookie: 212,
    clock_settime: 227,
    vserver: 236,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    migrate_pages: 256,
    move_pages: 279,
    perf_event_open: 298,
    fanotify_init: 300,
    open_by_handle_at: 304,
    setns: 308,
    process_vm_readv: 310,
    process_vm_writev: 311,
    kcmp: 312,
    finit_module: 313,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
  }),
};

const ARM64: Calls = {
  auditArch: 0xc00000b7,
  foreignFrom: null,
  clone: 220,
  unshare: 97,
  personality: 92,
  socket: 198,
  socketpair: 199,
  ioctl: 29,
  denied: Object.values({
    ...DENIED_EVERYWHERE,
    lookup_dcookie: 18,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    nfsservctl: 42,
    chroot: 51,
    vhangup: 58,
    quotactl: 60,
    acct: 89,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    clock_settime: 112,
    syslog: 116,
    ptrace: 117,
    reboot: 142,
    sethostname: 161,
    setdomainname: 162,
    settimeofday: 170,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    swapon: 224,
    swapoff: 225,
    migrate_pages: 238,
    move_pages: 239,
    perf_event_open: 241,
    fanotify_init: 262,
    open_by_handle_at: 265,
    setns: 268,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
  }),
};

const CALLS: Readonly<Record<string, Calls>> = { x64: X64, arm64: ARM64 };

/** Namespaces for mounts, control groups, host name, IPC, users, processes and network. */
const NEW_NAMESPACES = 0x7e020000;
/** The time namespace: a flag of unshare only, part of the exit signal in clone. */
const NEW_TIME = 0x80;
/** The usual ones and the query; others weaken the memory layout. */
const PERSONALITIES = [0, 0x8, 0x20000, 0x20008, 0xffffffff];
/** AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6. */
const SOCKET_FAMILIES = [0, 1, 2, 10];
const AF_NETLINK = 16;
/** Used by getifaddrs to list the machine's addresses. */
const NETLINK_ROUTE = 0;
/** Injecting input into, and selecting on, a terminal. */
const TERMINAL_REQUESTS = [0x5412, 0x541c];

const EPERM = 1;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;

/** Classic BPF opcodes: load a word, compare with a constant, return. */
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const KILL_PROCESS = 0x80000000;
const ALLOW = 0x7fff0000;
const REFUSE = 0x00050000;

/** Offsets in `struct seccomp_data`: number, architecture, and the lower half of each argument. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

/** Opcode, instructions to skip if true and if false, constant. */
type Instruction = readonly [code: number, then: number, otherwise: number, constant: number];

/**
 * A program for `bwrap --seccomp FD` (an array of `struct sock_filter`): everything it does not refuse is allowed. The
 * kernel applies it permanently to the command and its children.
 * @param arch in Node's terms.
 * @returns null for unsupported architectures.
 */
export function seccompFilter(arch: string = ownArch()): Buffer | null {
  const calls = CALLS[arch];
  if (!calls || endianness() !== 'LE') return null;
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 1, 0, calls.auditArch],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
    ...(calls.foreignFrom === null ? [] : foreign(calls.foreignFrom)),
    ...calls.denied.flatMap((call) => when(call, [refuse(EPERM)])),
    // The C library then falls back to clone, whose flags can be checked.
    ...when(CLONE3, [refuse(ENOSYS)]),
    ...when(calls.clone, withAnyBit(0, NEW_NAMESPACES)),
    ...when(calls.unshare, withAnyBit(0, NEW_NAMESPACES | NEW_TIME)),
    ...when(calls.personality, oneOf(0, PERSONALITIES, ALLOW, REFUSE | EPERM)),
    ...when(calls.ioctl, oneOf(1, TERMINAL_REQUESTS, REFUSE | EPERM, ALLOW)),
    ...when(calls.socket, [...netlink(), ...oneOf(0, SOCKET_FAMILIES, ALLOW, REFUSE | EAFNOSUPPORT)]),
    // The kernel creates sockets of any family, and loads its module, before it refuses a pair of them.
    ...when(calls.socketpair, oneOf(0, SOCKET_FAMILIES, ALLOW, REFUSE | EAFNOSUPPORT)),
    [RETURN, 0, 0, ALLOW],
  ];
  return Buffer.concat(program.map(encode));
}

function refuse(errno: number): Instruction {
  return [RETURN, 0, 0, REFUSE | errno];
}

function foreign(from: number): Instruction[] {
  return [
    [IF_AT_LEAST, 0, 1, from],
    [RETURN, 0, 0, KILL_PROCESS],
  ];
}

/** Instructions for one call. They must end with a return, since they may overwrite the loaded number. */
function when(call: number, then: readonly Instruction[]): Instruction[] {
  return [[IF_EQUAL, 0, then.length, call], ...then];
}

function withAnyBit(index: number, bits: number): Instruction[] {
  return [[LOAD, 0, 0, argument(index)], [IF_ANY_BIT, 0, 1, bits], refuse(EPERM), [RETURN, 0, 0, ALLOW]];
}

/** Returns `then` if an argument is one of the values. */
function oneOf(index: number, values: readonly number[], then: number, otherwise: number): Instruction[] {
  const compare = values.map((value, i): Instruction => [IF_EQUAL, values.length - i, 0, value]);
  return [[LOAD, 0, 0, argument(index)], ...compare, [RETURN, 0, 0, otherwise], [RETURN, 0, 0, then]];
}

function netlink(): Instruction[] {
  const verdicts = oneOf(2, [NETLINK_ROUTE], ALLOW, REFUSE | EPROTONOSUPPORT);
  return [[LOAD, 0, 0, argument(0)], [IF_EQUAL, 0, verdicts.length, AF_NETLINK], ...verdicts];
}

function encode([code, then, otherwise, constant]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(then, 2);
  bytes.writeUInt8(otherwise, 3);
  // Unsigned: bit operators return signed numbers.
  bytes.writeUInt32LE(constant >>> 0, 4);
  return bytes;
}
