// Covers the commit of a working tree with the real Git: what is said of it, and that no program of its settings runs.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCommit } from './read-commit.ts';

let root: string;
let site: string;
let sha: string;
let env: Record<string, string | undefined>;
const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, ...args], { env, stdio: 'pipe' })
    .toString()
    .trim();
const commit = (...args: string[]) => git('commit', '-qm', 'x', ...args);

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'pressroom-commit-')));
  env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  site = path.join(root, 'repo', 'site');
  await mkdir(site, { recursive: true });
  git('init', '-q', '-b', 'main', 'repo');
  root = path.dirname(site);
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  await writeFile(path.join(site, 'index.html'), '<p>');
  await writeFile(path.join(root, 'notes.md'), '#');
  git('add', '.');
  commit();
  sha = git('rev-parse', 'HEAD');
});
afterEach(() => rm(path.dirname(root), { recursive: true }));

const shaOf = async (dir = site) => (await readCommit(dir, env))?.sha;
const inSite = (name: string, text = 'x') => writeFile(path.join(site, name), text);

describe('says', () => {
  test('commit, branch and remote of a directory without changes', async () => {
    expect(await readCommit(site, env)).toEqual({ sha, branch: 'main', repository: undefined });
    git('remote', 'add', 'backup', '/mnt/backup');
    git('remote', 'add', 'origin', 'git@example.com:acme/site.git');
    git('checkout', '-q', '-b', 'fix/a-b');
    expect(await readCommit(site, env)).toEqual({
      sha,
      branch: 'fix/a-b',
      repository: 'git@example.com:acme/site.git',
    });
    git('checkout', '-q', '--detach');
    expect(await readCommit(site, env)).toMatchObject({ sha, branch: undefined });
  });

  test('the same in a worktree, from refs that are packed, and within a hook of another repository', async () => {
    git('pack-refs', '--all');
    git('worktree', 'add', '-q', '-b', 'other', path.join(root, '..', 'other'));
    expect(await readCommit(path.join(root, '..', 'other', 'site'), env)).toMatchObject({
      sha,
      branch: 'other',
    });
    const inHook = { ...env, GIT_DIR: path.join(root, '..', 'elsewhere'), GIT_INDEX_FILE: '/nowhere' };
    expect(await readCommit(site, inHook)).toMatchObject({ sha, branch: 'main' });
  });

  test.each([
    ['a changed file', () => inSite('index.html', '<p>changed')],
    ['a new file', () => inSite('new.csv')],
    ['a deleted file', () => rm(path.join(site, 'index.html'))],
    ['a staged file', () => inSite('new.csv').then(() => git('add', '.'))],
  ])('-dirty for %s', async (_what, change) => {
    await change();
    expect(await shaOf()).toBe(`${sha}-dirty`);
  });

  test('nothing of changes beside the directory, of records, and of files that were only touched', async () => {
    await writeFile(path.join(root, 'notes.md'), '# more');
    await mkdir(path.join(site, '.pressroom'));
    await inSite('.pressroom/record.json');
    await mkdir(path.join(site, 'part', '.pressroom'), { recursive: true });
    await inSite('part/.pressroom/record.json');
    await utimes(path.join(site, 'index.html'), 1, 1);
    expect(await shaOf()).toBe(sha);
  });
});

describe('says nothing', () => {
  test('outside of a repository, before its first commit, and without Git', async () => {
    expect(await shaOf(path.dirname(root))).toBeUndefined();
    expect(await readCommit(site, { ...env, PATH: root })).toBeUndefined();
    expect(await readCommit(site, env, AbortSignal.abort())).toBeUndefined();
    git('init', '-q', '../empty');
    await writeFile(path.join(root, '..', 'empty', 'a.html'), '');
    expect(await shaOf(path.join(root, '..', 'empty'))).toBeUndefined();
  });

  test('of a directory that the commit does not have', async () => {
    await writeFile(path.join(root, '.gitignore'), 'output\n');
    git('add', '.');
    commit();
    const output = path.join(root, 'output');
    await mkdir(output);
    await writeFile(path.join(output, 'index.html'), '<p>');
    expect(await shaOf(output)).toBeUndefined();
  });

  test.each(['--assume-unchanged', '--skip-worktree'])('of files that are %s', async (flag) => {
    git('update-index', flag, 'site/index.html');
    await inSite('index.html', '<p>changed');
    expect(await shaOf()).toBeUndefined();
  });

  test('of a submodule', async () => {
    git('update-index', '--add', '--cacheinfo', `160000,${sha},site/module`);
    commit();
    expect(await shaOf()).toBeUndefined();
  });
});

describe('programs in the settings of a repository', () => {
  let ran: string;
  let program: string;
  beforeEach(async () => {
    ran = path.join(root, '..', 'ran');
    program = path.join(root, '..', 'program.sh');
    await writeFile(program, `#!/bin/sh\necho ran >> ${ran}\ncat\n`);
    await chmod(program, 0o755);
  });

  test('do not run: monitors of files, hooks, filters', async () => {
    const hooks = path.join(root, '..', 'hooks');
    await mkdir(hooks);
    await appendFile(path.join(root, '.git', 'info', 'attributes'), '*.html filter=evil\n');
    git('config', 'filter.evil.clean', program);
    git('config', 'filter.evil.required', 'true');
    git('config', 'core.fsmonitor', program);
    git('config', 'core.hooksPath', hooks);
    for (const hook of ['post-index-change', 'fsmonitor-watchman'])
      execFileSync('cp', [program, path.join(hooks, hook)]);
    await inSite('new.csv');
    await inSite('index.html', '<p>changed');
    expect(await shaOf()).toBe(`${sha}-dirty`);
    expect(existsSync(ran)).toBe(false);
    git('status');
    expect(existsSync(ran)).toBe(true);
  });

  test('that fetch what a partial clone lacks do not run', async () => {
    await writeFile(program, `#!/bin/sh\necho ran >> ${ran}\nexit 1\n`);
    git('config', 'core.repositoryFormatVersion', '1');
    git('config', 'extensions.partialClone', 'origin');
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'remote.origin.url', path.join(root, '..'));
    git('config', 'remote.origin.uploadpack', program);
    git('config', 'protocol.file.allow', 'always');
    const tree = git('rev-parse', 'HEAD^{tree}');
    await rm(path.join(root, '.git', 'objects', tree.slice(0, 2), tree.slice(2)));
    await rm(path.join(root, '.git', 'index'));
    git('update-index', '--add', 'site/index.html');
    expect(await shaOf()).toBeUndefined();
    expect(existsSync(ran)).toBe(false);
    expect(() => git('status')).toThrow('Command failed');
    expect(existsSync(ran)).toBe(true);
  });

  test('that convert files: what they make of a file is not known, what Git makes of others is', async () => {
    await appendFile(path.join(root, '.git', 'info', 'attributes'), '*.bin filter=lfs\n');
    await inSite('model.bin', 'one');
    git('add', '.');
    commit();
    sha = git('rev-parse', 'HEAD');
    git('config', 'filter.lfs.process', program);
    git('config', 'filter.lfs.required', 'true');
    expect(await shaOf()).toBe(sha);
    await inSite('model.bin', 'two');
    expect(await shaOf()).toBeUndefined();
    await inSite('index.html', '<p>changed');
    expect(await shaOf()).toBe(`${sha}-dirty`);
    expect(existsSync(ran)).toBe(false);
  });
});
