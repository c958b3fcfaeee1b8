import { afterEach, expect, test, vi } from 'vitest';
import { extensions, Uri } from 'vscode';
import { commitOf } from './commit-of.ts';

const sha = '0123456789abcdef0123456789abcdef01234567';
const folder = Uri.file('/repo/site');

afterEach(() => vi.restoreAllMocks());

function withGit(state: object | null, { isActive = true } = {}): void {
  const repository = state && {
    state: { remotes: [], indexChanges: [], workingTreeChanges: [], ...state },
    status: async () => undefined,
  };
  vi.spyOn(extensions, 'getExtension').mockReturnValue({
    isActive,
    exports: { getAPI: () => ({ getRepository: () => repository }) },
  } as never);
}
const at = (...files: string[]) => files.map((file) => ({ uri: Uri.file(file) }));
const HEAD = { commit: sha, name: 'main' };

test('names commit, branch and origin', async () => {
  const remotes = [
    { name: 'fork', fetchUrl: 'https://example.com/fork.git' },
    { name: 'origin', fetchUrl: 'git@example.com:acme/site.git' },
  ];
  withGit({ HEAD, remotes });
  expect(await commitOf(folder)).toEqual({
    sha,
    branch: 'main',
    repository: 'git@example.com:acme/site.git',
  });
});

test.each([
  ['a changed file', { workingTreeChanges: at('/repo/site/index.html') }, '-dirty'],
  ['a staged file', { indexChanges: at('/repo/site/data/a.csv') }, '-dirty'],
  ['a new file', { untrackedChanges: at('/repo/site/new.R') }, '-dirty'],
  ['a record', { workingTreeChanges: at('/repo/site/.pressroom/deployments/site.toml') }, ''],
  ['a file of another folder', { workingTreeChanges: at('/repo/README.md', '/repo/site-2/index.html') }, ''],
])('with %s changed, the commit is marked as it should be', async (_what, changes, mark) => {
  withGit({ HEAD, ...changes });
  expect((await commitOf(folder))?.sha).toBe(sha + mark);
});

test('there is none without Git, a repository or a commit', async () => {
  expect(await commitOf(folder)).toBeUndefined();
  withGit({ HEAD }, { isActive: false });
  expect(await commitOf(folder)).toBeUndefined();
  withGit(null);
  expect(await commitOf(folder)).toBeUndefined();
  withGit({ HEAD: { name: 'main' } });
  expect(await commitOf(folder)).toBeUndefined();
});
