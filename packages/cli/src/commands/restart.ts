// pressroom restart: stops the processes of an application, starts it again, and reports whether it starts.
import { resolveContent } from '../arguments/content-argument.ts';
import type { Command } from '../command.ts';
import { watchAndShow } from '../terminal/watch-and-show.ts';

export const restart: Command = {
  name: 'restart',
  synopsis: 'restart [CONTENT]',
  summary: 'Restart an application, and show whether it starts; its visitors lose their sessions',
  positionals: [0, 1],
  async run(context) {
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const { task_id } = await client.restartContent({ guid }, { signal: context.signal });
    return await watchAndShow(context, client, task_id);
  },
};
