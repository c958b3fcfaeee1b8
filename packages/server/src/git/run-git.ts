// Runs git, confined as installations of packages are: no settings of the machine, no hooks, no prompts, no other protocols.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { findTool } from '../runtime/sandbox/tools.ts';

export interface Remote {
  readonly url: string;
  readonly branch: string;
  readonly username: string | null;
  readonly token: string | null;
  /** Host, port and address that git connects to. */
  readonly resolved: string;
}

export interface GitRun {
  /** A script of the shell; what is not fixed is in its parameters. */
  readonly script: string;
  readonly parameters: readonly string[];
  readonly directory: string;
  readonly remote: Remote | null;
  /** Bytes of a file that it may write. */
  readonly fileLimit: number;
  /** Seconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Lines of output that are kept. */
const LINES = 200;
const BLOCK = 512;

/** @returns what it printed, and whether it ended well. @throws ApiError 1 for one that took too long, or where there is no git */
export async function runGit(
  launcher: Launcher,
  { script, parameters, directory, remote, fileLimit, timeout, signal }: GitRun,
): Promise<{ isDone: boolean; lines: string[] }> {
  if (findTool('git') === null) throw errors.internal({ message: 'git is not installed on this server' });
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
        args: ['-c', `ulimit -f ${blocks}\nset -e\n${script}`, 'git', ...parameters],
        cwd: directory,
        env: environmentOf(remote),
        writable: [directory],
        network: remote !== null,
      }),
    });
    if (code !== 0) lines.push(message);
    return { isDone: code === 0, lines };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw errors.internal({ message: `git took longer than ${timeout} seconds` });
    throw error;
  }
}

/** Settings go in by the environment: no command line shows the token. */
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
    ['protocol.http.allow', 'always'],
    ['protocol.https.allow', 'always'],
    ['safe.directory', '*'],
  ];
  if (remote !== null) settings.push(['http.curloptResolve', remote.resolved]);
  if (remote?.token != null) {
    const basic = Buffer.from(`${remote.username ?? 'git'}:${remote.token}`).toString('base64');
    settings.push([`http.${remote.url}.extraHeader`, `Authorization: Basic ${basic}`]);
  }
  return {
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_ASKPASS: '/bin/false',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C.UTF-8',
    ...Object.fromEntries(
      settings.flatMap(([name, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, name],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  };
}

/** A directory that git may write to, removed in the end. */
export async function inDirectory<T>(
  launcher: Launcher,
  parent: string,
  name: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = join(parent, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    await launcher.give(directory, null);
    return await work(directory);
  } finally {
    await launcher.remove(directory);
  }
}
