// `npm run soak`: the full heavy counts; `npm run soak -- kills lists` runs only these. `npm test` runs a slice of
// each. A signal stops after the current round of kills or losses, or the current part, and leaves nothing running. A
// second one stops at once.
import { runInOwnGroup } from '@pressroom/testkit';
import { chosen } from '../chosen.ts';
import { failingCanary } from './canary.ts';
import { useFrameworks } from './frameworks/use-frameworks.ts';
import { generatedRequests } from './generated-requests.ts';
import { killServer } from './kill-server.ts';
import { loseServers } from './lose-servers.ts';
import { openLosable, type Losable, type Parts } from './losses.ts';
import { malformedResponses } from './malformed-responses.ts';
import { followPages, type PagingReport } from './paging.ts';
import { publishLarge } from './publish-large.ts';
import { runContent } from './run-content.ts';
import { slackDeploys } from './slack-deploys.ts';

/** Concurrent: each fault is caused a hundred times in total. */
const CONSTELLATIONS = 4;

if (!process.connected) process.exit(await runInOwnGroup(import.meta.filename));

const ending = new AbortController();
const { signal } = ending;
process.once('disconnect', end).once('SIGTERM', () => {
  end();
  // To all that runs here.
  process.once('SIGTERM', () => process.kill(0, 'SIGINT'));
});

const PARTS = {
  kills: async () => report('kill -9 of the server', await killServer(200, signal)),
  servers: () => loseParts('servers and database'),
  stores: () => loseParts('store and engine'),
  bundles: async () => {
    for (const shape of ['one of 2 GiB', '50,000 small files'] as const)
      report(shape, await publishLarge(shape));
  },
  content: async () =>
    report(
      'content that misbehaves, deploys under load',
      await runContent({ rounds: 20, megabytes: 1000, redeploys: 100 }),
    ),
  slack: async () => {
    for (const kills of [0, 10])
      report(
        `40 deploys in Slack, ${kills} kills of the bot`,
        await slackDeploys({ deploys: 40, kills, seconds: 60 }),
      );
  },
  responses: async () =>
    report('malformed responses of an application', await malformedResponses(10_000, Date.now())),
  lists: async () => {
    const whole = { counts: [0, 1, 20, 21, 10_000], sizes: [null, 500], random: 20 };
    const told = (list: string, { walks, requests, faults }: PagingReport) =>
      console.log(`${list}: ${walks} walks, ${requests} requests, ${faults.length} faults so far`);
    report('clients that follow pages', await followPages(whole, Date.now(), told));
  },
  canaries: async () => {
    for (const share of [5, 10])
      report(`a canary of ${share} % that fails one request in ten`, await failingCanary(share));
  },
  frameworks: async () => report('frameworks for Python, in a browser', await useFrameworks()),
  requests: async () => report('generated requests', await generatedRequests(100_000, Date.now())),
};

for (const run of chosen(PARTS)) if (!signal.aborted) await run();
// The channel to the parent process would keep it running.
process.exit();

function end(): void {
  console.log('Ending …');
  ending.abort();
}

async function loseParts(parts: Parts): Promise<void> {
  await using stack = new AsyncDisposableStack();
  // Most of a round is waiting.
  const constellations: Losable[] = [];
  for (let i = 0; i < CONSTELLATIONS && !signal.aborted; i += 1)
    constellations.push(stack.use(await openLosable(parts)));
  const losing = constellations.map((losable, i) => {
    const name = `constellation ${i} loses ${parts}:`;
    let printed = 0;
    const told = (rounds: number, faults: readonly string[]) => {
      for (; printed < faults.length; printed += 1) console.error(name, faults[printed]);
      if (rounds % 10 === 0) console.log(name, `${rounds} rounds, ${faults.length} faults`);
    };
    return loseServers(losable, (100 * losable.losses.length) / CONSTELLATIONS, { told, signal });
  });
  for (const losses of await Promise.all(losing)) report(`two servers lose ${parts}`, losses);
}

function report(name: string, result: object): void {
  console.log(name, JSON.stringify(result));
  if ('faults' in result && Array.isArray(result.faults) && result.faults.length > 0) process.exitCode = 1;
}
