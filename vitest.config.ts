// Which tests there are, on what they run, and how many files run at once.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { startsProcess } from './test/starts-process.ts';

/** Tests also wait, but more files at once cost more CPU for each: other runs are beside them (.ci/test.mjs). */
const maxWorkers = availableParallelism() + 1;

const shared = {
  // Long enough for a busy machine: nothing here waits for a time, but for what has to happen.
  testTimeout: 180_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
  // Files share the processes that run them: loading the server for each costs more than most files take.
  isolate: false,
  unstubEnvs: true,
};

/** Acceptance tests about SQL, transactions and what servers of one database tell each other. */
const ABOUT_SQL = [
  'accounts/{keys-and-sessions,passwords,second-factor}',
  'sign-in/{password,sessions,tokens}',
  '{access-requests,approvals,approvers,audit,bundle-release,canary-decisions,cancel,content,deploys,drafts,git-deploys,events,content-key-revoked,device-sign-in,every-list,every-operation}',
  'clients/applications',
  '{long-lists,nobody-elses-response,older-paths,package-sources,paging,release-races,rendering-jobs,report-mail,sharing,states,tags,today-paths,trusted-publishers,unused-content,usage-numbers,users,variants}',
].map((name) => `test/acceptance/${name}.test.ts`);

const ofPackages = 'packages/*/src/**/*.test.ts';

const acceptance = {
  include: ['test/{acceptance,storage}/**/*.test.ts'],
  // An SQLite file has one bot; servers that share a bucket share a database; about PostgreSQL alone.
  exclude: ['test/storage/{slack-two-bots,s3,postgres,lock-order,server-processes}.test.ts'],
};
const processes = {
  include: [
    ...startsProcess(ofPackages),
    'test/{browser,clients,hostile,processes,rules,runtime}/**/*.test.ts',
  ],
};
const unit = { include: [ofPackages], exclude: startsProcess(ofPackages) };

/** What needs neither PostgreSQL nor an editor. A worker is kept for one project, and loads the server once for it. */
const others = process.env.PRESSROOM_TEST_WHOLE
  ? {
      tests: {
        include: [...acceptance.include, ...processes.include, ...unit.include],
        exclude: acceptance.exclude,
      },
    }
  : { acceptance, processes, unit };

export default defineConfig({
  // Outside an editor there is none: the extension is tested on a small fake of it.
  resolve: { alias: { vscode: `${import.meta.dirname}/packages/vscode/src/testing/fake-vscode.ts` } },
  test: {
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    projects: [
      ...Object.entries(others).map(([name, files]) => ({
        extends: true as const,
        test: {
          ...shared,
          ...files,
          name,
          setupFiles: process.env.PRESSROOM_TEST_URL ? ['test/elsewhere.ts'] : [],
        },
      })),
      {
        extends: true,
        test: {
          ...shared,
          name: 'postgres',
          include: ['test/storage/**/*.test.ts', ...ABOUT_SQL],
          // About files, and data of SQLite.
          exclude: ['test/storage/{backup-file,hostile-backup,upgrade}.test.ts'],
          env: { PRESSROOM_TEST_ENGINE: 'postgres' },
          // Beside the others in a run of its own (.ci/test.mjs), after the editors.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 2 },
          globalSetup: ['packages/testkit/src/postgres-setup.ts'],
        },
      },
      {
        test: {
          ...shared,
          testTimeout: 240_000,
          name: 'editor',
          include: ['test/editor/**/*.test.ts'],
          globalSetup: ['test/editor/editor-setup.ts'],
          setupFiles: ['test/editor/on-failure.ts'],
          // An editor for each core keeps it busy: after the others, or beside them in a run of its own (.ci/test.mjs).
          maxWorkers: availableParallelism(),
          // A failure is described before what follows a test clears the window.
          sequence: { groupOrder: 1, hooks: 'list' },
        },
      },
    ],
    reporters: process.env.PRESSROOM_TEST_REPORT ? ['default', 'json'] : ['default'],
    ...(process.env.PRESSROOM_TEST_REPORT && { outputFile: { json: process.env.PRESSROOM_TEST_REPORT } }),
  },
});
