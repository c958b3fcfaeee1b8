// pressroom render: renders a published document again, now or on schedule, or with other parameter values.
import type { Client } from '@pressroom/api/client';
import { ParameterValueError, readParameterValues } from '@pressroom/api/publish';
import { resolveContent } from '../arguments/content-argument.ts';
import { isTurnedOff, requireAlone, stringOption, type Command, type CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { cronOfWords } from '../render/schedule-words.ts';
import {
  decideHeld,
  listVariants,
  renderValues,
  type HeldDecision,
  type WantedVariant,
} from '../render/values.ts';
import { confirm } from '../terminal/output.ts';
import { watchAndShow } from '../terminal/watch-and-show.ts';

/** Besides `--list`. */
const OTHERS = [
  'variant',
  'public',
  'accept',
  'discard',
  'task',
  'schedule',
  'timezone',
  'no-schedule',
] as const;

export const render: Command = {
  name: 'render',
  synopsis: 'render [CONTENT] [NAME=VALUE…]',
  summary: 'Render a published document again, now, on a schedule, or with other values',
  help: [
    '  NAME=VALUE         A value for a parameter (repeatable; for a list, repeat it); without --variant, the rendering',
    '                     is yours, and is removed after some time',
    '  --variant NAME     The variant to render; one that does not exist is created',
    '  --public           Let all who may view the content open the variant',
    '  --accept           With --variant: show its rendering that is held because it shrank',
    '  --discard          With --variant: discard it',
    '  --task ID          With both: only if it is the rendering of this task that is held; --list names it',
    '  --list             List the variants and what they were rendered with',
    '  --schedule WHEN    Render on this schedule: "weekdays at 6:00", "every 15 minutes", "mon, thu at 17:30",',
    '                     "day 1 at 6:00", or a cron pattern such as "0 6 * * 1-5"',
    '  --timezone ZONE    Time zone of the schedule, such as Europe/Zurich (default: UTC)',
    '  --no-schedule      Remove the schedule',
  ],
  options: {
    variant: { type: 'string' },
    public: { type: 'boolean' },
    accept: { type: 'boolean' },
    discard: { type: 'boolean' },
    task: { type: 'string' },
    list: { type: 'boolean' },
    schedule: { type: 'string' },
    timezone: { type: 'string' },
    'no-schedule': { type: 'boolean' },
  },
  positionals: [0, 101],
  async run(context) {
    const { positionals, values, signal } = context;
    const when = stringOption(context, 'schedule');
    const cron = when === undefined ? undefined : cronOfWords(when);
    const stop = isTurnedOff(context, 'schedule');
    requireAlone(context, 'list', OTHERS);
    if (stringOption(context, 'timezone') !== undefined && cron === undefined)
      throw new UsageError('--timezone requires --schedule WHEN.');
    const given = positionals.filter((word) => word.includes('='));
    const named = positionals.filter((word) => !word.includes('='));
    if (named.length > 1) throw new UsageError(`Unexpected argument: ${named[1]}.`, 'Values are NAME=VALUE.');
    const decision = readDecision(context, given.length > 0 || cron !== undefined || stop);
    const wanted = wantedVariant(context, given, cron, stop);
    const { client, guid } = await resolveContent(context, named[0]);
    await using _client = client;
    if (values['list'] === true) return await listVariants(context, client, guid);
    if (decision !== null) return await decideHeld(context, client, guid, decision);
    if (wanted !== null) return await renderValues(context, client, guid, wanted);
    if (cron !== undefined) return await setSchedule(context, client, guid, cron);
    if (stop) {
      await client.deleteContentSchedule({ guid }, { signal });
      return confirm(context, { removed: guid }, 'Schedule removed.');
    }
    const { task_id } = await client.renderContent({ guid }, { signal });
    return await watchAndShow(context, client, task_id);
  },
};

/** Null for the document with its own values. @throws UsageError */
function wantedVariant(
  context: CommandContext,
  given: readonly string[],
  cron: string | undefined,
  stop: boolean,
): WantedVariant | null {
  const name = stringOption(context, 'variant');
  const isPublic = context.values['public'] === true;
  if (name === undefined && isPublic) throw new UsageError('--public requires --variant NAME.');
  if (name === undefined && given.length === 0) return null;
  if (name === undefined && (cron !== undefined || stop))
    throw new UsageError('A rendering with own values has no schedule.', 'Name it with --variant NAME.');
  const timezone = stringOption(context, 'timezone');
  const schedule = cron === undefined ? null : { cron, ...(timezone !== undefined && { timezone }) };
  return {
    name: name ?? null,
    values: readValues(given),
    changes: { ...(isPublic && { visibility: 'public' }), ...((schedule ?? stop) && { schedule }) },
  };
}

/** Null for no decision. @throws UsageError */
function readDecision(context: CommandContext, isMore: boolean): HeldDecision | null {
  const isAccepted = context.values['accept'] === true;
  const task = stringOption(context, 'task');
  if (!isAccepted && context.values['discard'] !== true) {
    if (task !== undefined) throw new UsageError('--task requires --accept or --discard.');
    return null;
  }
  const variant = stringOption(context, 'variant');
  const isAlone = !isMore && !(isAccepted && context.values['discard'] === true);
  if (variant === undefined || !isAlone)
    throw new UsageError('--accept and --discard take --variant NAME and --task ID, and nothing else.');
  return { variant, isAccepted, ...(task !== undefined && { task }) };
}

/** @throws UsageError */
function readValues(given: readonly string[]): Record<string, string | string[]> {
  try {
    return readParameterValues(given);
  } catch (error) {
    if (error instanceof ParameterValueError) throw new UsageError(error.message, 'Values are NAME=VALUE.');
    throw error;
  }
}

async function setSchedule(
  context: CommandContext,
  client: Client,
  guid: string,
  cron: string,
): Promise<number> {
  const timezone = stringOption(context, 'timezone');
  const body = { guid, cron, ...(timezone !== undefined && { timezone }) };
  const schedule = await client.setContentSchedule(body, { signal: context.signal });
  const next = `Next rendering: ${schedule.next_time ?? 'none'}`;
  return confirm(context, schedule, `${next}, by "${schedule.cron}" in ${schedule.timezone}`);
}
