// The commit that a pipeline runs for, and its branch, from the variables of GitHub, GitLab, Bitbucket, Azure, CircleCI
// and Jenkins.
import type { SourceCommit } from '@pressroom/api/publish';

type Environment = Readonly<Record<string, string | undefined>>;

/** A pull request's branch before the commit's. */
const BRANCHES = [
  'GITHUB_HEAD_REF',
  'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME',
  'CHANGE_BRANCH',
  'SYSTEM_PULLREQUEST_SOURCEBRANCH',
  'GITHUB_REF_NAME',
  'CI_COMMIT_BRANCH',
  'BITBUCKET_BRANCH',
  'BUILD_SOURCEBRANCH',
  'CIRCLE_BRANCH',
  'BRANCH_NAME',
];
const COMMITS = [
  'GITHUB_SHA',
  'CI_COMMIT_SHA',
  'BITBUCKET_COMMIT',
  'BUILD_SOURCEVERSION',
  'CIRCLE_SHA1',
  'GIT_COMMIT',
];
const REPOSITORIES = [
  'CI_PROJECT_URL',
  'BITBUCKET_GIT_HTTP_ORIGIN',
  'BUILD_REPOSITORY_URI',
  'CIRCLE_REPOSITORY_URL',
  'GIT_URL',
];

export function pipelineBranch(env: Environment): string | undefined {
  return firstOf(BRANCHES, env)?.replace(/^refs\/heads\//, '');
}

/** Undefined outside of a pipeline. */
export function pipelineCommit(env: Environment): SourceCommit | undefined {
  const sha = firstOf(COMMITS, env);
  if (sha === undefined) return undefined;
  const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: name } = env;
  const repository = host && name ? `${host}/${name}` : firstOf(REPOSITORIES, env);
  return { sha, branch: pipelineBranch(env), repository };
}

function firstOf(names: readonly string[], env: Environment): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
}
