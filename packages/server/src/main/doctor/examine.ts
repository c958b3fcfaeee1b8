// All checks of `npm run doctor`, in the order of a start.
import { resolve } from 'node:path';
import type { Config } from '../config/settings.ts';
import { checkBucket } from './check-bucket.ts';
import { checkCluster } from './check-cluster.ts';
import { checkContainers } from './check-containers.ts';
import { checkDatabase } from './check-database.ts';
import { checkEngines, checkSandbox } from './check-engines.ts';
import { checkFiles } from './check-files.ts';
import { checkKeyOfDatabase } from './check-key.ts';
import {
  checkDataDirectory,
  checkDisk,
  checkGit,
  checkNode,
  checkOtherPorts,
  checkPort,
} from './check-machine.ts';
import { checkAddresses, checkMail, checkReceivers } from './check-network.ts';
import { checkPackages } from './check-packages.ts';
import { checkSignIn } from './check-sign-in.ts';
import { bad, type Finding } from './finding.ts';
import { findingsOf, within, withoutSecrets, type Check } from './run-check.ts';

/** Installations of R are slow; anything slower is considered stuck. */
const LIMIT_MS = 120_000;

/** @param limit milliseconds for each check. @param checks for tests */
export async function examine(
  config: Config,
  checks: readonly Check[] = checksOf(config),
  limit = LIMIT_MS,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await within(limit, check[0], findingsOf(check, bad))));
  return findings.map(withoutSecrets(config));
}

function checksOf(config: Config): readonly Check[] {
  const dataDir = resolve(config['Server.DataDir']);
  const ofContent: readonly Check[] =
    config['Applications.Executor'] === 'docker'
      ? [['Container engine', () => checkContainers(config)]]
      : [
          ['Engines', () => checkEngines(config)],
          ['Packages', () => checkPackages(config)],
          ['Isolation', () => checkSandbox(config)],
        ];
  return [
    ['Node', async () => [checkNode()]],
    ['Data directory', async () => checkDataDirectory(config, dataDir)],
    ['Disk', async () => [await checkDisk(config, dataDir)]],
    ['Files', async () => checkFiles(config)],
    ['Database', async () => [await checkDatabase(config, dataDir)]],
    // An unresponsive database was reported before.
    ['Secret key', () => checkKeyOfDatabase(config, dataDir).catch(() => [])],
    ['S3 store', () => checkBucket(config, dataDir)],
    ['Port', async () => [await checkPort(config)]],
    ['Other ports', () => checkOtherPorts(config)],
    ['Other servers', () => checkCluster(config, dataDir)],
    ['Sign-in', () => checkSignIn(config)],
    ['Mail', () => checkMail(config)],
    ['Receivers', () => checkReceivers(config)],
    ['Address', () => checkAddresses(config)],
    ['Git', async () => checkGit(config)],
    ...ofContent,
  ];
}
