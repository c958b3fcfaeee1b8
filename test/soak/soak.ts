// `npm run soak`: the heavy counts, whole. `npm test` runs a slice of each.
import { failingCanary } from './canary.ts';
import { useFrameworks } from './frameworks/use-frameworks.ts';
import { generatedRequests } from './generated-requests.ts';
import { malformedAnswers } from './malformed-answers.ts';
import { killServer } from './kill-server.ts';
import { loseServers } from './lose-servers.ts';
import { openLosable, type Losable } from './losses.ts';
import { followPages } from './paging.ts';
import { publishLarge } from './publish-large.ts';
import { runContent } from './run-content.ts';
import { slackDeploys } from './slack-deploys.ts';

const report = (name: string, result: unknown) => console.log(name, JSON.stringify(result));
/** Side by side: each fault is made a hundred times in all. */
const CONSTELLATIONS = 4;
let failed = false;

const kills = await killServer(200);
report('kill -9 of the server', kills);
failed ||= kills.faults.length > 0;

for (const parts of ['servers and database', 'store and engine'] as const) {
  await using stack = new AsyncDisposableStack();
  // Most of a round is waiting.
  const constellations: Losable[] = [];
  for (let i = 0; i < CONSTELLATIONS; i += 1) constellations.push(stack.use(await openLosable(parts)));
  const losing = constellations.map((losable, i) =>
    loseServers(losable, (100 * losable.losses.length) / CONSTELLATIONS, Math.random, (rounds, faults) => {
      if (rounds % 10 === 0)
        console.log(`constellation ${i} loses ${parts}: ${rounds} rounds, ${faults.length} faults`);
    }),
  );
  for (const losses of await Promise.all(losing)) {
    report(`two servers lose ${parts}`, losses);
    failed ||= losses.faults.length > 0;
  }
}

for (const shape of ['one of 2 GiB', '50,000 small files'] as const) {
  const large = await publishLarge(shape);
  report(shape, large);
  failed ||= large.faults.length > 0;
}

const content = await runContent({ rounds: 20, megabytes: 1000, redeploys: 100 });
report('content that misbehaves, deploys under load', content);
failed ||= content.faults.length > 0;

for (const kills of [0, 10]) {
  const deploys = await slackDeploys({ deploys: 40, kills, seconds: 60 });
  report(`40 deploys in Slack, ${kills} kills of the bot`, deploys);
  failed ||= deploys.faults.length > 0;
}

const malformed = await malformedAnswers(10_000, Date.now());
report('malformed answers of an application', malformed);
failed ||= malformed.faults.length > 0;

const paging = await followPages(
  { counts: [0, 1, 20, 21, 10_000], sizes: [null, 500], random: 20 },
  Date.now(),
);
report('clients that follow pages', paging);
failed ||= paging.faults.length > 0;

for (const share of [5, 10]) {
  const canary = await failingCanary(share);
  report(`a canary of ${share} % that fails one request in ten`, canary);
  failed ||= canary.faults.length > 0;
}

const frameworks = await useFrameworks();
report('frameworks for Python, in a browser', frameworks);
failed ||= frameworks.faults.length > 0;

report('generated requests', await generatedRequests(100_000, Date.now()));
process.exitCode = failed ? 1 : 0;
