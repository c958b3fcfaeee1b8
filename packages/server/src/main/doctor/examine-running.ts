// The checks of a running server, in its own process: those of a start that do not disturb it. The others (lock of the
// data directory, port, damaged file) are done by `npm run doctor`.
import { resolve } from 'node:path';
import type { ServerFinding } from '@pressroom/api/contract';
import { ping } from '../../monitoring/store.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Examine } from '../../platform/examine.ts';
import type { Installations } from '../../runtime/installations.ts';
import type { IsolationFinding } from '../../runtime/sandbox/isolation.ts';
import type { Launcher } from '../../runtime/sandbox/launcher.ts';
import type { AskPam } from '../../runtime/sandbox/supervisor/supervisor.ts';
import type { Config } from '../config/settings.ts';
import { checkBucket } from './check-bucket.ts';
import { checkBundles } from './check-bundles.ts';
import { checkCluster } from './check-cluster.ts';
import { checkStarts } from './check-containers.ts';
import { checkDatabase } from './check-database.ts';
import { checkEngines, checkInstalled, ofIsolation } from './check-engines.ts';
import { checkDisk, checkGit, checkNode, checkWritable } from './check-machine.ts';
import { checkAddresses, checkMail, checkReceivers } from './check-network.ts';
import { checkPackages } from './check-packages.ts';
import { checkSignIn } from './check-sign-in.ts';
import { good, warning, type Finding } from './finding.ts';
import { findingsOf, within, withoutSecrets, type Check } from './run-check.ts';

export interface RunningParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly blobs: Pick<BlobStore, 'missing'>;
  readonly installations: Installations;
  readonly isolation: { readonly report: readonly IsolationFinding[] };
  readonly askPam: AskPam | undefined;
  readonly applications: { readonly isClosed: boolean };
  readonly launcher: Pick<Launcher, 'containers' | 'run'>;
}

const LIMIT_MS = 20_000;

/** @param limit milliseconds for each check; slower ones are a warning. @param checks for tests */
export function createExamination(
  parts: Pick<RunningParts, 'config'>,
  checks: readonly Check[],
  limit = LIMIT_MS,
): Examine {
  const hidden = withoutSecrets(parts.config);
  let isBusy = false;
  return async () => {
    if (isBusy) return null;
    isBusy = true;
    const running = checks.map((check) => findingsOf(check));
    // A new examination waits for checks that are late.
    void Promise.all(running).then(() => (isBusy = false));
    const found = await Promise.all(running.map((one, i) => within(limit, checks[i]![0], one)));
    return found.flat().map((finding): ServerFinding => {
      const { what, state, message, remedy } = hidden(finding);
      return { name: what, state, message, remedy };
    });
  };
}

/** In the order of a start. */
export function checksOfRunning({ config, storage, ...parts }: RunningParts): readonly Check[] {
  const dataDir = resolve(config['Server.DataDir']);
  const isLocal = config['Applications.Executor'] !== 'docker';
  return [
    ['Node', async () => [checkNode()]],
    ['Data directory', async () => [checkWritable(dataDir, dataDir)]],
    ['Disk', async () => [await checkDisk(config, dataDir)]],
    [
      'Database',
      async () => [storage.isShared ? await checkDatabase(config, dataDir) : await responses(storage)],
    ],
    ['S3 store', () => checkBucket(config, dataDir)],
    ['Bundles', () => checkBundles(storage.db, parts.blobs)],
    ['Other servers', () => checkCluster(config, dataDir)],
    ['Sign-in', () => checkSignIn(config, parts)],
    ['Mail', () => checkMail(config)],
    ['Receivers', () => checkReceivers(config)],
    ['Address', () => checkAddresses(config)],
    ['Git', async () => checkGit(config)],
    [
      'Engines',
      () => (isLocal ? checkEngines(config, parts.installations) : checkInstalled(parts.installations)),
    ],
    ['Container engine', () => checkStarts(parts.launcher)],
    ['Packages', () => checkPackages(config, parts.installations)],
    ['Isolation', async () => ofIsolation(parts.isolation.report, config['Isolation.Mode'] === 'required')],
    ['Processes', async () => [ofDrain(parts.applications)]],
  ];
}

/** Reading the whole file would take long: `npm run doctor` does that. */
async function responses(storage: Storage): Promise<Finding> {
  await ping(storage.db);
  return good('Database', `${storage.name} answers; \`npm run doctor\` looks whether the file is whole`);
}

function ofDrain({ isClosed }: RunningParts['applications']): Finding {
  return isClosed
    ? warning('Processes', 'this server drains: it starts no processes', 'Run: pressroom admin resume')
    : good('Processes', 'they start as visitors come');
}
