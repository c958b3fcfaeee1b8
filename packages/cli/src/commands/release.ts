// pressroom release: the complete release of a bundle, for people and programs.
import type { CallOptions, Client } from '@pressroom/api/client';
import { commitText, type BundleRelease } from '@pressroom/api/contract';
import { describeLinks, describeUse } from '@pressroom/api/usage';
import { resolveContent } from '../arguments/content-argument.ts';
import { listedBy } from '../arguments/missing-object.ts';
import { newestOf } from '../arguments/newest-bundle.ts';
import { stringOption, type Command } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { table } from '../terminal/terminal.ts';
import { figureRows } from './canary.ts';

const STATES: Record<BundleRelease['state'], string> = {
  uploaded: 'uploaded, not deployed',
  deploying: 'being deployed',
  failed: 'deploy failed',
  draft: 'a draft',
  held: 'held for review',
  asked: 'waiting for approval',
  approved: 'approved, not live',
  canary: 'a canary',
  back: 'rolled back',
  live: 'live',
  past: 'live before',
};
const STEPS: Record<BundleRelease['steps'][number]['what'], string> = {
  uploaded: 'uploaded',
  started: 'deploy started',
  ready: 'draft ready',
  failed: 'deploy failed',
  asked: 'asked for approval',
  approved: 'approved',
  overridden: 'approvals overridden',
  canary: 'canary began',
  back: 'rolled back',
  replaced: 'canary replaced',
  live: 'live',
};

export const release: Command = {
  name: 'release',
  synopsis: 'release [CONTENT]',
  summary: 'Show the release of a bundle: steps, draft, approvals, canary, and whom it touches',
  help: ['  --bundle BUNDLE      Which one (default: the newest)'],
  options: { bundle: { type: 'string' } },
  positionals: [0, 1],
  async run(context) {
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const options = { signal: context.signal };
    const id = stringOption(context, 'bundle') ?? (await newestId(client, guid, options));
    const found = await client
      .getBundleRelease({ guid, id }, options)
      .catch(listedBy(context, 'bundles', false));
    const { json, terminal } = context;
    if (json) terminal.printJson(found);
    else for (const line of await linesOf(found)) terminal.print(line);
    return EXIT.ok;
  },
};

async function newestId(client: Client, guid: string, options: CallOptions): Promise<string> {
  const newest = newestOf(await Array.fromAsync(client.each.getBundles({ guid }, options)));
  if (newest === undefined) throw new UsageError('This content has no bundles.');
  return newest.id;
}

async function linesOf(one: BundleRelease): Promise<string[]> {
  const { bundle_id, state, live_bundle_id, commit, draft, approval, canary, use, links, steps } = one;
  const facts = [
    ['Bundle', `${bundle_id}: ${STATES[state] ?? state}`],
    ...(state === 'live' ? [] : [['Live', live_bundle_id === null ? 'nothing' : `bundle ${live_bundle_id}`]]),
    ...(commit ? [['Commit', commitText(commit)]] : []),
    ...(draft ? [['Draft', `${draft.url} until ${draft.expires_time}`]] : []),
    ...(approval ? [['Approvals', approvalText(approval)]] : []),
    ...(use ? [['Use', describeUse(use)]] : []),
    ...(links.total === 0 ? [] : [['Links', describeLinks(links)]]),
  ];
  const history = [
    ['TIME', 'WHAT', 'BY', 'WHY'],
    ...steps.map(({ time, what, username, reason }) => [
      time,
      STEPS[what] ?? what,
      username ?? '',
      reason ?? '',
    ]),
  ];
  const figures = canary ? ['', ...(await table(figureRows(canary)))] : [];
  return [...(await table(facts)), ...figures, '', ...(await table(history))];
}

function approvalText({
  approvals,
  needed,
  asked,
  stuck,
  override_reason: reason,
}: NonNullable<BundleRelease['approval']>): string {
  if (reason !== null) return `overridden: ${reason}`;
  const by = approvals.length === 0 ? '' : ` (${approvals.map(({ username }) => username).join(', ')})`;
  const given = `${approvals.length} of ${needed}${by}`;
  if (stuck) return `${given}; too few people may approve it: change the rule`;
  return asked.length === 0
    ? given
    : `${given}; can approve: ${asked.map(({ username }) => username).join(', ')}`;
}
