// Fetches the newest commit of a branch, and checks its files before they are written out.
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiError, errors } from '@pressroom/api/contract';
import { pathProblem } from '@pressroom/api/publish';
import type { Commit } from '../bundles/commit.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { gitFailure } from './git-failure.ts';
import { runGit, type Remote } from './run-git.ts';

export interface FetchLimits {
  /** Limits: bytes fetched, bytes of the files in the directory, and their number. */
  readonly fetched: number;
  readonly unpacked: number;
  readonly entries: number;
  /** Seconds. */
  readonly timeout: number;
}

export interface Place {
  readonly launcher: Launcher;
  /** Directory that git may write to. */
  readonly directory: string;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
}

/** Prints the tree of the directory, if there is one, and the commit: on lines of their own, as git may warn in between. */
const FETCH = `git init --quiet --bare --template= repository
git -C repository fetch --quiet --depth=1 $4 --no-tags --no-recurse-submodules --no-write-fetch-head -- "$1" "+refs/heads/$2:refs/heads/fetched"
echo "fetched $(git -C repository rev-parse --verify --quiet "refs/heads/fetched:$3")"
git -C repository log -1 --no-show-signature --format="fetched %H%nfetched %an%nfetched %s%nfetched %cI" refs/heads/fetched`;
/** Spaces at the end are lost. */
const FETCHED = /^fetched(?: |$)/;
const NO_BRANCH = 'no such branch';
const NO_DIRECTORY = 'no such directory';
const LIST = `test "$(git -C repository cat-file -t "$1")" = tree || { echo "${NO_DIRECTORY}"; exit 1; }
git -C repository ls-tree -r -z --long --full-tree "$1" > list`;
const CHECK_OUT = `export GIT_DIR="$PWD/repository" GIT_INDEX_FILE="$PWD/index" GIT_WORK_TREE="$PWD/files"
cd files
git read-tree "$1"
git checkout-index --all --force --quiet`;
const MAX_LISTED_BYTES = 64 * 2 ** 20;
/** Characters: file systems permit less. */
const MAX_LINE = 2 ** 16;
const SHOWN = 500;
/** In place of later ones, which git knows and RFC 3339 does not. */
const LAST_TIME = new Date('9999-12-31T23:59:59Z');

/** The SHA of the newest commit of a branch. @throws ApiError 1, 4 */
export async function newestCommit(place: Place, remote: Remote): Promise<string> {
  const { isDone, lines } = await runGit(place.launcher, {
    ...place,
    script: `git ls-remote --heads --exit-code -- "$1" "refs/heads/$2" || { test $? = 2 && echo "${NO_BRANCH}"; exit 1; }`,
    parameters: [remote.url, remote.branch],
    remote,
    fileLimit: 2 ** 20,
    timeout: place.limits.timeout,
  });
  if (!isDone && !lines.includes(NO_BRANCH)) throw gitFailure(lines, remote);
  // git also lists references that end like the wanted one.
  const own = lines.find((line) => line.endsWith(`\trefs/heads/${remote.branch}`));
  const [, sha] = /^([0-9a-f]{40,64})\t/.exec(own ?? '') ?? [];
  if (sha === undefined) throw gitFailure(["couldn't find remote ref"], remote);
  return sha;
}

/**
 * @param part leaves out the files where the server of the repository can do that
 * @throws ApiError 1 and 4 from gitFailure
 */
export async function fetchCommit(
  place: Place,
  remote: Remote,
  directory: string,
  part: 'whole' | 'without files',
): Promise<Commit> {
  const path = directory === '.' ? '' : directory;
  const { isDone, lines } = await runGit(place.launcher, {
    ...place,
    script: FETCH,
    parameters: [remote.url, remote.branch, path, part === 'whole' ? '' : '--filter=blob:none'],
    remote,
    fileLimit: place.limits.fetched,
    timeout: place.limits.timeout,
  });
  if (!isDone) throw gitFailure(lines, remote);
  const fields = lines.filter((line) => FETCHED.test(line)).map((line) => line.replace(FETCHED, ''));
  const [tree = '', sha = '', author = '', subject = '', time = ''] = fields;
  if (!/^[0-9a-f]{40,64}$/.test(sha)) throw errors.internal({ message: 'git printed no commit' });
  return {
    repository: remote.url,
    branch: remote.branch,
    directory,
    tree: tree === '' ? null : tree,
    sha,
    author: author.slice(0, SHOWN),
    subject: subject.slice(0, SHOWN),
    time: (Number.isNaN(Date.parse(time)) ? LAST_TIME : new Date(time)).toISOString(),
  };
}

/**
 * Writes out the files of a directory of the commit.
 * @returns their location
 * @throws ApiError 4 for a directory that the commit does not have, 38 for names, links and submodules that a bundle
 * cannot have, 135
 */
export async function checkOut(place: Place, sha: string, path: string): Promise<string> {
  const { launcher, directory, limits } = place;
  const tree = `${sha}:${path === '.' ? '' : path}`;
  const run = { ...place, parameters: [tree], remote: null, timeout: limits.timeout };
  const listed = await runGit(launcher, { ...run, script: LIST, fileLimit: MAX_LISTED_BYTES });
  if (listed.lines.includes(NO_DIRECTORY))
    throw errors.notFound({ message: `${NO_DIRECTORY}: the commit has no ${path}` });
  if (!listed.isDone) throw tooLarge('git could not list its files, there are too many');
  await launcher.takeBack(directory);
  await refuseUnsafe(join(directory, 'list'), limits);
  const files = join(directory, 'files');
  await mkdir(files, { mode: 0o700 });
  await launcher.give(directory, null);
  const written = await runGit(launcher, { ...run, script: CHECK_OUT, fileLimit: limits.unpacked });
  if (!written.isDone)
    throw errors.bundleNotExtracted({ message: 'git could not write the files of the commit' });
  await launcher.takeBack(directory);
  return files;
}

/** Lines of `ls-tree`: mode, type, object name, size, tab and path, each terminated by NUL. */
async function refuseUnsafe(list: string, { unpacked, entries }: FetchLimits): Promise<void> {
  await using handle = await open(list, constants.O_RDONLY | constants.O_NOFOLLOW);
  let begun = '';
  let count = 0;
  let bytes = 0;
  // Piece by piece: other requests are served in between.
  for await (const piece of handle.createReadStream({ encoding: 'utf8', autoClose: false })) {
    const lines = (begun + piece).split('\0');
    begun = lines.pop() ?? '';
    if (begun.length > MAX_LINE) throw refused('a path has too many characters');
    for (const line of lines) {
      bytes += sizeOfSafe(line);
      if (bytes > unpacked) throw tooLarge(`its files have more than ${unpacked} bytes`);
    }
    count += lines.length;
    if (count > entries) throw tooLarge(`it has more than ${entries} files`);
  }
}

function sizeOfSafe(line: string): number {
  const [, mode, size, path = ''] = /^(\d+) \w+ \w+ +(\d+|-)\t(.*)$/s.exec(line) ?? [];
  if (mode === '160000') throw refused(`${path} is a submodule: submodules are not fetched`);
  if (mode === '120000')
    throw refused(
      `${path} is a symbolic link: replace it by the file, links in a repository are not followed`,
    );
  const problem = pathProblem(path);
  if (problem !== undefined) throw refused(`${JSON.stringify(path)} cannot be in a bundle: ${problem}`);
  if (path.split('/').some((part) => /^\.git(?:$|[ .:~])/i.test(part)))
    throw refused(`${path} cannot be in a bundle: .git belongs to git`);
  return Number(size);
}

const refused = (message: string): ApiError => errors.invalidManifest({ message });
const tooLarge = (why: string): ApiError => errors.bundleNotExtracted({ message: `too large: ${why}` });
