// pressroom render: renders a published document again, now or on a schedule.
import { stringOption, type Command, type CommandContext } from '../command.ts';
import type { Client } from '@pressroom/api/client';
import { resolveContent } from '../content-argument.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm } from '../output.ts';
import { watchAndShow } from '../watch-and-show.ts';

export const render: Command = {
  name: 'render',
  synopsis: 'render [DIR|GUID]',
  summary: 'Render a published document again, now or on a schedule',
  help: [
    '  --schedule CRON    Render on this schedule, such as "0 6 * * 1-5"',
    '  --timezone ZONE    Time zone of the schedule, such as Europe/Zurich (default: UTC)',
    '  --no-schedule      Remove the schedule',
  ],
  options: {
    schedule: { type: 'string' },
    timezone: { type: 'string' },
    'no-schedule': { type: 'boolean' },
  },
  positionals: [0, 1],
  async run(context) {
    const cron = stringOption(context, 'schedule');
    const stop = context.values['no-schedule'] === true;
    if (cron !== undefined && stop) throw new UsageError('Use either --schedule or --no-schedule, not both.');
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    if (cron !== undefined) return await setSchedule(context, client, guid, cron);
    if (stop) {
      await client.deleteContentSchedule({ guid }, { signal: context.signal });
      return confirm(context, { removed: guid }, 'Schedule removed.');
    }
    const { task_id } = await client.renderContent({ guid }, { signal: context.signal });
    return await watchAndShow(context, client, task_id);
  },
};

async function setSchedule(
  context: CommandContext,
  client: Client,
  guid: string,
  cron: string,
): Promise<number> {
  const timezone = stringOption(context, 'timezone');
  const body = { guid, cron, ...(timezone !== undefined && { timezone }) };
  const schedule = await client.setContentSchedule(body, { signal: context.signal });
  const next = `Next rendering: ${schedule.next_time ?? 'none'} (${schedule.timezone})`;
  return confirm(context, schedule, next);
}
