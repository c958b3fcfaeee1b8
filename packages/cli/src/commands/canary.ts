// pressroom canary: a bundle that takes a share of new sessions before it goes live.
import { type Client, RefusedError } from '@pressroom/api/client';
import { type Canary, type CanaryFigures, type CanaryRule, engineOf } from '@pressroom/api/contract';
import { lengthOption, lengthText, percentOption, shareOption } from '../arguments/canary-options.ts';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContent } from '../arguments/content-argument.ts';
import {
  actionOf,
  isTurnedOff,
  stringOption,
  switchOption,
  type Command,
  type CommandContext,
} from '../command.ts';
import { UsageError, withHint } from '../exit-codes.ts';
import { confirm, show } from '../terminal/output.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { watchUntilLive } from '../terminal/watch-and-show.ts';

const OPTIONS_OF = {
  show: [],
  promote: ['bundle'],
  stop: ['bundle', 'reason'],
  rule: [
    'share',
    'for',
    'error-limit',
    'slow-limit',
    'health',
    'no-health',
    'wait',
    'no-wait',
    'shrink-limit',
    'no-shrink-limit',
    'off',
  ],
} as const;
const STATES: Record<Canary['state'], string> = {
  preparing: 'being deployed',
  running: 'running',
  waiting: 'waiting to be made live',
  finishing: 'being made live',
  live: 'live',
  back: 'rolled back',
  replaced: 'replaced',
  failed: 'deploy failed',
};

export const canary: Command = {
  name: 'canary',
  synopsis: 'canary show|promote|stop|rule [CONTENT]',
  summary: 'Follow or end the canary of an application, or make every new bundle begin as one',
  help: [
    '  show                 The state, and the figures of both bundles',
    '  promote              Make it live now',
    '  stop                 Roll back to the live bundle; open sessions stay where they are',
    '    --reason TEXT      Why',
    '    --bundle ID        Of both: only if this bundle is the canary',
    '  rule                 Show or change with what new bundles begin:',
    '    --share PERCENT    Share of new sessions, 1% to 50%',
    '    --for TIME         How long before it goes live: 90s, 30m, 2h, up to 7d',
    '    --error-limit N    Percentage points by which more requests may fail',
    '    --slow-limit N     Percent by which nine of ten requests may take longer; 0: any',
    '    --health PATH      Path to ask for again and again, such as /health; --no-health for none',
    '    --wait, --no-wait  Whether a person makes it live',
    '    --shrink-limit N   Of a document: percent of text or pictures that a rendering may lack; --no-shrink-limit',
    '    --off              New bundles go live at once',
    '',
    'A canary begins with: pressroom deploy DIR --canary 10%',
  ],
  options: {
    bundle: { type: 'string' },
    reason: { type: 'string' },
    share: { type: 'string' },
    for: { type: 'string' },
    'error-limit': { type: 'string' },
    'slow-limit': { type: 'string' },
    health: { type: 'string' },
    'no-health': { type: 'boolean' },
    wait: { type: 'boolean' },
    'no-wait': { type: 'boolean' },
    'shrink-limit': { type: 'string' },
    'no-shrink-limit': { type: 'boolean' },
    off: { type: 'boolean' },
  },
  words: () => Object.keys(OPTIONS_OF),
  positionals: [1, 2],
  async run(context) {
    const action = actionOf(context, 'canary', OPTIONS_OF);
    const wanted = action === 'rule' ? ruleOf(context) : {};
    const { client, guid, dir, record } = await resolveContent(context, context.positionals[1]);
    await using _client = client;
    const options = { signal: context.signal };
    if (action === 'rule') return await rule(context, client, guid, wanted);
    const found = await client.getCanary({ guid }, options).catch(beginFirst(context, record !== null));
    if (action === 'show') return show(context, found, rowsOf);
    const { bundle_id, task_id: canaryTask } = found;
    const bundle = stringOption(context, 'bundle') ?? bundle_id;
    if (bundle !== bundle_id)
      throw new UsageError(
        `Bundle ${bundle} is not the canary of this content.`,
        `To see which one is, run: ${commandHint(context, 'canary show', 'argument')}`,
      );
    const which = { guid, task_id: canaryTask };
    if (action === 'promote') {
      const { task_id } = await client.finishCanary(which, options);
      return await watchUntilLive(context, { client, guid, dir }, bundle_id, task_id);
    }
    const reason = stringOption(context, 'reason');
    const ended = await client.endCanary({ ...which, ...(reason !== undefined && { reason }) }, options);
    return confirm(
      context,
      ended,
      `Bundle ${ended.bundle_id} was rolled back. New sessions get bundle ${ended.live_bundle_id}.`,
    );
  },
};

/** The content exists but has no canary. */
const beginFirst =
  (context: CommandContext, isDirectory: boolean) =>
  (error: unknown): never => {
    if (!(error instanceof RefusedError) || !error.message.includes('has no canary')) throw error;
    const { content = '.', guid } = context.about;
    const which = isDirectory ? shellWord(content) : `DIR --guid ${guid}`;
    throw withHint(error, `A canary begins with: ${commandHint(context, `deploy ${which} --canary 10%`)}`);
  };

type WantedRule = Partial<Omit<CanaryRule, 'user_guid' | 'created_time'>>;

/** Throws UsageError. */
function ruleOf(context: CommandContext): WantedRule {
  const { values } = context;
  const share = shareOption(context, 'share', 1);
  const length = lengthOption(context, 'for');
  const error_limit = percentOption(context, 'error-limit', 100);
  const slow_limit = percentOption(context, 'slow-limit', 10_000);
  const health_path = isTurnedOff(context, 'health') ? null : stringOption(context, 'health');
  const waits = switchOption(context, 'wait');
  const shrink_limit = isTurnedOff(context, 'shrink-limit')
    ? null
    : percentOption(context, 'shrink-limit', 99);
  const all = { shrink_limit, share, length, error_limit, slow_limit, health_path, waits };
  const wanted: WantedRule = Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  );
  if (values['off'] === true && Object.keys(wanted).length > 0)
    throw new UsageError('--off cannot be used with other settings.');
  return wanted;
}

const AT_ONCE = 'New bundles go live at once.';

const NO_OBJECT = 4;

/** The content is there: it has no rule. */
function nullIfNone(error: unknown): null {
  if (error instanceof RefusedError && error.code === NO_OBJECT) return null;
  throw error;
}

async function rule(
  context: CommandContext,
  client: Client,
  guid: string,
  wanted: WantedRule,
): Promise<number> {
  const options = { signal: context.signal };
  if (context.values['off'] === true) {
    await client.deleteCanaryRule({ guid }, options);
    return confirm(context, null, AT_ONCE);
  }
  const { app_mode } = await client.getContent({ guid }, options);
  const isAsked = Object.keys(wanted).length === 0;
  const found = isAsked
    ? await client.getCanaryRule({ guid }, options).catch(nullIfNone)
    : await client.setCanaryRule({ guid, ...wanted }, options);
  if (found === null) return confirm(context, null, AT_ONCE);
  return show(context, found, engineOf(app_mode) === 'document' ? documentRows : ruleRows);
}

/** The rest of the rule has no effect on documents. */
function documentRows({ shrink_limit }: CanaryRule): string[][] {
  return [['Shrink limit', shrink_limit === null ? 'none' : `${shrink_limit} % of a rendering`]];
}

function ruleRows({
  share,
  length,
  error_limit,
  slow_limit,
  health_path,
  waits,
  shrink_limit,
}: CanaryRule): string[][] {
  return [
    ['Share', `${share} % of new sessions`],
    ['For', lengthText(length)],
    ['Error limit', `${error_limit} percentage points`],
    ['Slow limit', slow_limit === 0 ? 'none' : `${slow_limit} %`],
    ['Health path', health_path ?? 'none'],
    ...(shrink_limit === null ? [] : [['Shrink limit', `${shrink_limit} % of a rendering`]]),
    ['Then', waits ? 'waits for a person' : 'goes live by itself'],
  ];
}

function rowsOf(one: Canary): string[][] {
  const { state, reason, share, ends_time, waits } = one;
  const isOpen = state === 'running';
  // A newer server may know other states.
  const label = Object.hasOwn(STATES, state) ? STATES[state] : state;
  return [
    ['State', reason === null ? label : `${label}: ${reason}`],
    ...(isOpen ? [['Share', `${share} % of new sessions`]] : []),
    ...(isOpen && ends_time !== null ? [[waits ? 'Waits from' : 'Live at', ends_time]] : []),
    ...figureRows(one),
  ];
}

/** The figures of both bundles. */
export function figureRows({ bundle_id, live_bundle_id, canary: own, live }: Canary): string[][] {
  return [
    ['', `canary ${bundle_id}`, `live ${live_bundle_id}`],
    ...FIGURES.map(([label, text]) => [label, text(own), text(live)]),
  ];
}

const FIGURES: readonly [string, (figures: CanaryFigures) => string][] = [
  ['Requests', ({ requests }) => String(requests)],
  ['Failed', ({ errors, requests }) => part(errors, requests)],
  ['Script errors', ({ script_errors, pages }) => part(script_errors, pages)],
  ['Crashes', ({ crashes, failed_starts }) => String(crashes + failed_starts)],
  ['Health failures', ({ health_failures, health_checks }) => part(health_failures, health_checks)],
  ['Half within', ({ p50_ms }) => time(p50_ms)],
  ['90 % within', ({ p90_ms }) => time(p90_ms)],
];

function part(count: number, of: number): string {
  return of === 0 ? String(count) : `${count} (${((100 * count) / of).toFixed(1)} %)`;
}

function time(ms: number | null): string {
  return ms === null ? '-' : `${ms} ms`;
}
