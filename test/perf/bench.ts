// `npm run bench`: timings as ratios against a peer or a floor of the same run. They print; they never fail.
import { startCluster } from '../../packages/testkit/src/postgres-setup.ts';
import { apiBench } from './api.bench.ts';
import { containersBench } from './containers.bench.ts';
import { contentBench } from './content.bench.ts';
import { dashboardBench } from './dashboard.bench.ts';
import { deployBench } from './deploy.bench.ts';
import { editorBench } from './editor.bench.ts';
import { listsBench } from './lists.bench.ts';
import { packBench } from './pack.bench.ts';
import { preparedBench } from './prepared.bench.ts';
import { publishersBench } from './publishers.bench.ts';
import { saveBench } from './save.bench.ts';
import { siteBench } from './site.bench.ts';
import { slackBench } from './slack.bench.ts';

await packBench();
for (const line of await deployBench()) console.log(line);
for (const line of await contentBench()) console.log(line);
for (const line of await containersBench()) console.log(line);
for (const line of await preparedBench()) console.log(line);
const stopCluster = await startCluster([]);
for (const engine of ['sqlite', 'postgres'] as const) {
  for (const line of await siteBench(engine)) console.log(line);
  for (const line of await apiBench(engine)) console.log(line);
  for (const line of await publishersBench(engine)) console.log(line);
}
await stopCluster();
for (const line of await listsBench()) console.log(line);
for (const line of await dashboardBench()) console.log(line);
for (const line of await slackBench()) console.log(line);
for (const line of await editorBench()) console.log(line);
for (const line of await saveBench()) console.log(line);
