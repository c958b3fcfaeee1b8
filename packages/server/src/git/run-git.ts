// Runs git, confined like package installations: no system configuration, hooks, prompts or other protocols.
import { mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import { HOSTS_ONLY } from '../runtime/sandbox/hosts.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { findTool } from '../runtime/sandbox/tools.ts';
import type { Place } from './address.ts';

export interface Remote {
  readonly url: string;
  readonly branch: string;
  readonly username: string | null;
  readonly token: string | null;
  /** The addresses that git connects to. */
  readonly place: Place;
  /** Null unless over ssh. */
  readonly ssh: { readonly key: string; readonly hostKeys: readonly string[] } | null;
}

export interface GitRun {
  /** A shell script; variable parts are passed as arguments. */
  readonly script: string;
  readonly parameters: readonly string[];
  readonly directory: string;
  readonly remote: Remote | null;
  /** Maximum bytes of a file it writes. */
  readonly fileLimit: number;
  /** Seconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Lines of output kept. */
const LINES = 200;
const BLOCK = 512;

/** @returns its output, and whether it succeeded. @throws ApiError 1 on a timeout, without git, or for an old one */
export async function runGit(
  launcher: Launcher,
  { script, parameters, directory, remote, fileLimit, timeout, signal }: GitRun,
): Promise<{ isDone: boolean; lines: string[] }> {
  const image = requireGit(launcher, remote);
  const lines: string[] = [];
  const late = AbortSignal.timeout(timeout * 1000);
  const blocks = Math.ceil(fileLimit / BLOCK);
  try {
    const { code, message } = await launcher.run({
      runAs: null,
      signal: AbortSignal.any([signal, late]),
      onLine: (line) => void (lines.length < LINES && lines.push(line)),
      command: () => ({
        file: '/bin/sh',
        args: ['-c', `ulimit -f ${blocks}\nset -e\n${beforehand(remote)}${script}`, 'git', ...parameters],
        cwd: directory,
        env: environmentOf(remote),
        ...(image !== null && { image }),
        writable: [directory],
        network: remote !== null,
        ...(remote && { hosts: { [remote.place.host]: remote.place.ips } }),
      }),
    });
    if (code === TOO_OLD)
      throw errors.internal({
        message:
          'git is older than 2.37, and could be led to other addresses than the checked one: an administrator updates it, or installs bubblewrap',
      });
    if (code !== 0) lines.push(message);
    return { isDone: code === 0, lines };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw errors.internal({ message: `git took longer than ${timeout} seconds` });
    throw error;
  }
}

/** The image that git runs in; null on this machine. @throws ApiError 1 without git */
function requireGit({ containers }: Launcher, remote: Remote | null): string | null {
  const image = containers?.images.find(({ git }) => git)?.id ?? null;
  if (containers ? image === null : findTool('git') === null)
    throw errors.internal({
      message: `git is not installed ${containers ? 'in any image of' : 'on'} this server`,
    });
  if (!containers && remote?.ssh && findTool('ssh') === null)
    throw errors.internal({ message: 'ssh is not installed on this server' });
  return image;
}

/** Null for access without a token. */
export function authorizationOf({ username, token }: Remote): string | null {
  if (token === null) return null;
  return `Basic ${Buffer.from(`${username ?? 'git'}:${token}`).toString('base64')}`;
}

/** Configuration is passed in the environment: no command line shows the token. */
function environmentOf(remote: Remote | null): Record<string, string> {
  const settings: (readonly [string, string])[] = [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.protectHFS', 'true'],
    ['core.protectNTFS', 'true'],
    ['core.quotePath', 'false'],
    ['credential.helper', ''],
    ['fetch.unpackLimit', '1'],
    ['fetch.recurseSubmodules', 'false'],
    ['gc.auto', '0'],
    ['http.followRedirects', 'false'],
    ['protocol.allow', 'never'],
    ['safe.directory', '*'],
  ];
  const protocols = remote?.ssh ? ['ssh'] : ['http', 'https'];
  for (const name of protocols) settings.push([`protocol.${name}.allow`, 'always']);
  if (remote !== null && remote.ssh === null) {
    const { host, port, ips } = remote.place;
    const addresses = ips.map((ip) => (isIP(ip) === 6 ? `[${ip}]` : ip));
    // One that cannot be reached, such as IPv6 without a route, does not keep curl from the others. A number is not
    // resolved, and curl cannot read one of IPv6 there.
    if (isIP(host) === 0) settings.push([PINNING, `${host}:${port}:${addresses.join(',')}`]);
  }
  if (remote?.token != null)
    settings.push([`http.${remote.url}.extraHeader`, `Authorization: ${authorizationOf(remote)}`]);
  return {
    GIT_ALLOW_PROTOCOL: protocols.join(':'),
    GIT_ASKPASS: '/bin/false',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C.UTF-8',
    ...(remote?.ssh && sshEnvironment(remote.place, remote.ssh)),
    ...Object.fromEntries(
      settings.flatMap(([name, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, name],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  };
}

/** The setting that fixes the addresses of a host; git before 2.37 ignores it, and looks the name up again. */
export const PINNING = 'http.curloptResolve';
/** An exit code that git does not have. */
const TOO_OLD = 97;
/** Older ones are for where no name can be looked up but the host's. */
const REQUIRE_PINNING = `case "$(cat /etc/nsswitch.conf)" in "${HOSTS_ONLY}") ;; *)
case "$(git help --config)" in *${PINNING}*) ;; *) exit ${TOO_OLD} ;; esac
esac
`;

function beforehand(remote: Remote | null): string {
  if (remote === null) return '';
  if (remote.ssh) return KEY_FILES;
  return isIP(remote.place.host) === 0 ? REQUIRE_PINNING : '';
}

/** Written by the confined shell itself, in the directory that is removed at the end. */
const KEY_FILES = `umask 077
printf %s "$DEPLOY_KEY" > deploy-key
printf %s "$HOST_KEYS" > host-keys
unset DEPLOY_KEY HOST_KEYS
export GIT_SSH_COMMAND="$GIT_SSH_COMMAND -o IdentityFile='$PWD/deploy-key' -o UserKnownHostsFile='$PWD/host-keys'"
`;
/** The host name for known_hosts: the address is fixed by the server. */
const ALIAS = 'repository';
/** No configuration of the machine, no agent, no prompts, no other keys or programs. */
const SSH_OPTIONS = [
  'BatchMode=yes',
  'StrictHostKeyChecking=yes',
  'GlobalKnownHostsFile=/dev/null',
  `HostKeyAlias=${ALIAS}`,
  'CheckHostIP=no',
  'UpdateHostKeys=no',
  'VerifyHostKeyDNS=no',
  'IdentitiesOnly=yes',
  'IdentityAgent=none',
  'PreferredAuthentications=publickey',
  'ProxyCommand=none',
  'ControlMaster=no',
  'ControlPath=none',
  'ForwardAgent=no',
  'ForwardX11=no',
  'ClearAllForwardings=yes',
  'PermitLocalCommand=no',
  'CanonicalizeHostname=no',
  'ConnectTimeout=20',
  'ServerAliveInterval=15',
];

function sshEnvironment(
  { ips: [ip] }: Place,
  { key, hostKeys }: NonNullable<Remote['ssh']>,
): Record<string, string> {
  const options = [...SSH_OPTIONS, `Hostname=${ip}`].map((option) => `-o ${option}`).join(' ');
  return {
    DEPLOY_KEY: key,
    HOST_KEYS: hostKeys.map((one) => `${ALIAS} ${one}\n`).join(''),
    GIT_SSH_COMMAND: `${findTool('ssh')} -F none -a -x -T ${options}`,
    GIT_SSH_VARIANT: 'ssh',
  };
}

/** Creates a directory that git may write to, and removes it at the end. */
export async function inDirectory<T>(
  launcher: Launcher,
  parent: string,
  name: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = join(parent, name);
  // Its account may have to pass through.
  await mkdir(parent, { recursive: true, mode: 0o711 });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    await launcher.give(directory, null);
    return await work(directory);
  } finally {
    await launcher.remove(directory);
  }
}
