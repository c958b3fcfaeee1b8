// pressroom processes: the processes of a content item and their logs.
import { stringOption, type Command } from '../command.ts';
import { resolveContent } from '../content-argument.ts';
import { EXIT } from '../exit-codes.ts';
import { table } from '../terminal.ts';

export const processes: Command = {
  name: 'processes',
  synopsis: 'processes [DIR|GUID]',
  summary: 'List the processes of published content, or show the log of one',
  help: ['  --log KEY          Show the log of this process; `latest` for the newest'],
  options: { log: { type: 'string' } },
  positionals: [0, 1],
  async run(context) {
    const { terminal, json, signal } = context;
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const jobs = await client.getContentJobs({ guid }, { signal });
    const wanted = stringOption(context, 'log');
    const key = wanted === 'latest' ? jobs[0]?.key : wanted;
    if (wanted !== undefined && key === undefined) {
      terminal.note('No process has run this content yet.');
      return EXIT.ok;
    }
    if (key !== undefined) {
      const log = await client.getContentJobLog({ guid, key }, { signal });
      if (json) terminal.printJson(log);
      else for (const { timestamp, data } of log.entries) terminal.print(`${timestamp}  ${data}`);
      return EXIT.ok;
    }
    if (json) {
      terminal.printJson(jobs);
      return EXIT.ok;
    }
    const rows = jobs.map((job) => [
      job.key,
      job.bundle_id,
      job.start_time,
      job.end_time ?? '',
      job.outcome ?? (job.status === 0 ? 'active' : 'finished'),
    ]);
    for (const line of table([['PROCESS', 'BUNDLE', 'STARTED', 'ENDED', ''], ...rows])) terminal.print(line);
    return EXIT.ok;
  },
};
