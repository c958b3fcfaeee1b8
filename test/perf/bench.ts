// `npm run bench`: timings as ratios to a peer or a floor in the same run; `npm run bench -- site deploy` runs only
// these. Prints results; never fails.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { startCluster } from '../../packages/testkit/src/postgres-setup.ts';
import { chosen } from '../chosen.ts';
import { apiBench, type Engine } from './api.bench.ts';
import { containersBench } from './containers.bench.ts';
import { contentBench } from './content.bench.ts';
import { dashboardBench } from './dashboard.bench.ts';
import { deployBench } from './deploy.bench.ts';
import { editorBench } from './editor.bench.ts';
import { listsBench } from './lists.bench.ts';
import { preparedBench } from './prepared.bench.ts';
import { publishersBench } from './publishers.bench.ts';
import { saveBench } from './save.bench.ts';
import { siteBench } from './site.bench.ts';
import { slackBench } from './slack.bench.ts';

const PARTS: Record<string, () => Promise<readonly string[]>> = {
  // In a separate process, to exclude memory of the others; it prints directly.
  async pack() {
    spawnSync(process.execPath, [path.join(import.meta.dirname, 'pack.bench.ts')], { stdio: 'inherit' });
    return [];
  },
  deploy: deployBench,
  content: contentBench,
  containers: containersBench,
  prepared: preparedBench,
  site: () => onBoth(siteBench),
  api: () => onBoth(apiBench),
  publishers: () => onBoth(publishersBench),
  lists: () => onBoth(listsBench),
  dashboard: dashboardBench,
  slack: slackBench,
  editor: editorBench,
  save: saveBench,
};

for (const program of ['nginx', 'wrk'])
  if (spawnSync(program, ['-v']).error) throw new Error(`${program} is not installed: the benchmarks use it`);

for (const run of chosen(PARTS)) for (const line of await run()) console.log(line);

async function onBoth(bench: (engine: Engine) => Promise<string[]>): Promise<string[]> {
  const stopCluster = await startCluster([]);
  try {
    return [...(await bench('sqlite')), ...(await bench('postgres'))];
  } finally {
    await stopCluster();
  }
}
