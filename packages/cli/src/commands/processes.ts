// pressroom processes: the processes or renderings of a content item and their logs.
import { resolveContent } from '../arguments/content-argument.ts';
import { listedBy } from '../arguments/missing-object.ts';
import { stringOption, type Command } from '../command.ts';
import { confirm, show } from '../terminal/output.ts';

export const processes: Command = {
  name: 'processes',
  synopsis: 'processes [CONTENT]',
  summary: 'List the processes or renderings of published content, or show the log of one',
  help: ['  --log KEY          Show the log of this process or rendering; `latest` for the newest'],
  options: { log: { type: 'string' } },
  positionals: [0, 1],
  async run(context) {
    const { signal } = context;
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const jobs = await client.getContentJobs({ guid }, { signal });
    const wanted = stringOption(context, 'log');
    const key = wanted === 'latest' ? jobs[0]?.key : wanted;
    if (wanted !== undefined && key === undefined)
      return confirm(context, null, 'No process has run this content yet.');
    if (key !== undefined) {
      const log = await client
        .getContentJobLog({ guid, key }, { signal })
        .catch(listedBy(context, 'processes', true));
      return show(context, log, ({ entries }) => entries.map(({ timestamp, data }) => [timestamp, data]));
    }
    return show(context, jobs, (all) => [
      ['KEY', 'BUNDLE', 'STARTED', 'ENDED', 'OUTCOME'],
      ...all.map((job) => [
        job.key,
        job.bundle_id,
        job.start_time,
        job.end_time ?? '',
        job.outcome ?? (job.status === 0 ? 'running' : 'finished'),
      ]),
    ]);
  },
};
