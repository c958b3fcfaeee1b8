import { expect, test } from 'vitest';
import { pipelineCommit } from './pipeline-commit.ts';

const sha = '0123456789abcdef0123456789abcdef01234567';

test.each([
  [
    'GitHub',
    {
      GITHUB_SHA: sha,
      GITHUB_REF_NAME: 'main',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/sales',
    },
    { branch: 'main', repository: 'https://github.com/acme/sales' },
  ],
  [
    'a pull request of GitHub',
    { GITHUB_SHA: sha, GITHUB_HEAD_REF: 'fix', GITHUB_REF_NAME: '7/merge' },
    { branch: 'fix', repository: undefined },
  ],
  [
    'GitLab',
    { CI_COMMIT_SHA: sha, CI_COMMIT_BRANCH: 'main', CI_PROJECT_URL: 'https://gitlab.example.com/acme/sales' },
    { branch: 'main', repository: 'https://gitlab.example.com/acme/sales' },
  ],
  [
    'Azure',
    {
      BUILD_SOURCEVERSION: sha,
      BUILD_SOURCEBRANCH: 'refs/heads/feature/a',
      BUILD_REPOSITORY_URI: 'https://token@dev.azure.com/acme/_git/sales',
    },
    { branch: 'feature/a', repository: 'https://token@dev.azure.com/acme/_git/sales' },
  ],
  [
    'Jenkins with an address of ssh',
    { GIT_COMMIT: sha, BRANCH_NAME: 'main', GIT_URL: 'git@example.com:acme/sales.git' },
    { branch: 'main', repository: 'git@example.com:acme/sales.git' },
  ],
])('reads the commit of %s', (_pipeline, env, rest) => {
  expect(pipelineCommit(env)).toEqual({ sha, ...rest });
});

test('outside of a pipeline there is none', () => {
  expect(pipelineCommit({ GITHUB_SHA: '', BRANCH_NAME: 'main' })).toBeUndefined();
});
