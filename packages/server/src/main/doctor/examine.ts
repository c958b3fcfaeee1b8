// All checks of `npm run doctor`, in the order of a start.
import { resolve } from 'node:path';
import type { Config } from '../config/settings.ts';
import { checkCluster } from './check-cluster.ts';
import { checkDatabase } from './check-database.ts';
import { checkContainers } from './check-containers.ts';
import { checkEngines, checkSandbox } from './check-engines.ts';
import { checkDataDirectory, checkDisk, checkGit, checkNode, checkPort } from './check-machine.ts';
import { checkAddresses, checkMail } from './check-network.ts';
import { checkBucket } from './check-bucket.ts';
import { checkSignIn } from './check-sign-in.ts';
import type { Finding } from './finding.ts';

export async function examine(config: Config): Promise<Finding[]> {
  const dataDir = resolve(config['Server.DataDir']);
  return [
    checkNode(),
    ...checkDataDirectory(config, dataDir),
    await checkDisk(config, dataDir),
    await checkDatabase(config, dataDir),
    ...(await checkBucket(config)),
    await checkPort(config),
    ...(await checkCluster(config)),
    ...(await checkSignIn(config)),
    ...(await checkMail(config)),
    ...(await checkAddresses(config)),
    ...checkGit(config),
    ...(config['Applications.Executor'] === 'docker'
      ? await checkContainers(config)
      : [...(await checkEngines(config)), ...(await checkSandbox(config))]),
  ];
}
