// The commit that a directory of a Git working tree is at, and whether its files were changed since. Programs that the
// settings of the repository name do not run: a directory may come from anybody.
import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { SourceCommit } from './commit.ts';

const execute = promisify(execFile);
const LIMITS = { timeout: 30_000, maxBuffer: 64 * 1024 * 1024 };
/** Neither monitors of files nor hooks. */
const NO_PROGRAMS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null'];
/** Nothing is written, or fetched into a partial clone; Git before 2.39.4 knows the protocols only. */
const READ_ONLY = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };
/** Records change with each publish, and are not part of it. */
const PUBLISHED = ['--', '.', ':(exclude,glob)**/.pressroom/**'];
/** Paths of changed files that are looked up by their attributes. */
const LOOKED_UP = 100;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Undefined where it cannot be told with certainty: outside of a repository, before its first commit, without files of
 * it, with submodules, with changed files that a filter such as Git LFS converts, and without Git. Never throws.
 */
export async function readCommit(
  dir: string,
  env: Environment,
  signal?: AbortSignal,
): Promise<SourceCommit | undefined> {
  try {
    return await read(dir, env, signal);
  } catch {
    // The publish does not need it.
    return undefined;
  }
}

async function read(dir: string, env: Environment, signal?: AbortSignal): Promise<SourceCommit | undefined> {
  // Variables of Git, as its hooks have them, name another repository or program.
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_/i.test(name)));
  const options = { ...LIMITS, env: { ...own, ...READ_ONLY }, signal };
  const git = async (args: readonly string[], settings: readonly string[] = []) => {
    const set = [...NO_PROGRAMS, ...settings].flatMap((setting) => ['-c', setting]);
    return (await execute('git', ['-C', dir, ...set, ...args], options)).stdout.split('\0');
  };
  const config = await git(['config', '-z', '--list']);
  const tracked = (await git(['ls-files', '-z', '-v', '--stage', ...PUBLISHED])).filter(Boolean);
  if (tracked.length === 0 || tracked.some(isUnknown)) return undefined;
  // Of a sparse checkout, they are not there.
  const skipped = tracked.filter((entry) => entry.startsWith('S')).map(pathOf);
  if (await anyExists(dir, skipped)) return undefined;
  const noFilters = [...new Set(config.map(filterIn))].flatMap((name) =>
    name === undefined ? [] : ['clean=', 'process=', 'required=false'].map((set) => `filter.${name}.${set}`),
  );
  const status = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--no-renames'];
  const lines = await git([...status, '--ignore-submodules=all', ...PUBLISHED], noFilters);
  const header = (name: string) => lines.find((line) => line.startsWith(`# branch.${name} `))?.split(' ')[2];
  const [sha, branch] = [header('oid'), header('head')];
  if (sha === undefined || sha === '(initial)') return undefined;
  const changed = lines.filter((line) => line !== '' && !line.startsWith('# '));
  // Without its filter, a file that was only touched seems to be changed.
  const converted = noFilters.length === 0 ? [] : changed.flatMap((line) => contentOnly(line) ?? []);
  const isDirty =
    changed.length > converted.length || (converted.length > 0 && (await anyUnfiltered(git, converted)));
  if (!isDirty && converted.length > 0) return undefined;
  return {
    sha: sha + (isDirty ? '-dirty' : ''),
    branch: branch === '(detached)' ? undefined : branch,
    repository: remoteIn(config),
  };
}

/** A submodule, or a file that Git was told to take as unchanged. @param entry of `git ls-files -v --stage` */
function isUnknown(entry: string): boolean {
  const [, flag = '', mode] = /^(\S) (\d+) /.exec(entry) ?? [];
  return mode === '160000' || flag !== flag.toUpperCase();
}

/** @param entry of `git ls-files -v --stage` */
const pathOf = (entry: string) => entry.slice(entry.indexOf('\t') + 1);

async function anyExists(dir: string, names: readonly string[]): Promise<boolean> {
  const found = await Promise.allSettled(names.map((name) => lstat(path.join(dir, name))));
  return found.some(({ status }) => status === 'fulfilled');
}

/** The name of a filter, in a setting that names its program. @throws Error for one that cannot be turned off */
function filterIn(setting: string): string | undefined {
  const [, name] = /^filter\.([^\n]+)\.(?:clean|smudge|process|required)(?:\n|$)/.exec(setting) ?? [];
  if (name?.includes('=')) throw new Error(`the filter ${name} cannot be turned off`);
  return name;
}

/** The path of a file of which only the content differs, from the index to the directory. */
function contentOnly(line: string): string | undefined {
  return /^1 \.M (?:\S+ ){6}(.*)$/s.exec(line)?.[1];
}

async function anyUnfiltered(
  git: (args: readonly string[]) => Promise<string[]>,
  paths: readonly string[],
): Promise<boolean> {
  const [up = ''] = await git(['rev-parse', '--show-cdup']);
  const some = paths.slice(0, LOOKED_UP).map((name) => up.trim() + name);
  const attributes = await git(['check-attr', '-z', 'filter', '--', ...some]);
  return attributes.some((word, index) => index % 3 === 2 && /^(unspecified|unset)$/.test(word));
}

/** Of `origin`, or the first. */
function remoteIn(config: readonly string[]): string | undefined {
  const all = config.flatMap((setting) => {
    const [, name, address] = /^remote\.([^\n]+)\.url\n(.*)$/s.exec(setting) ?? [];
    return address === undefined ? [] : [{ name, address }];
  });
  return (all.find(({ name }) => name === 'origin') ?? all[0])?.address;
}
