// pressroom deploys: the deploys of a content item, how they ended, and the tasks that have their output.
import type { ContentDeploy } from '@pressroom/api/contract';
import { deploysOf } from '@pressroom/api/publish';
import { resolveContent } from '../arguments/content-argument.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { show } from '../terminal/output.ts';

export const deploys: Command = {
  name: 'deploys',
  synopsis: 'deploys [CONTENT]',
  summary: 'List the deploys of published content and how they ended; logs TASK shows the output of one',
  positionals: [0, 1],
  async run(context) {
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const list = await deploysOf(client, guid, { signal: context.signal });
    if (list === null)
      throw new UsageError(
        'The server does not list deploys, or not to those who may only view the content.',
      );
    return show(context, list, (all) => [
      ['', 'BUNDLE', 'STARTED', 'TASK', 'OUTCOME'],
      ...all.map((deploy) => [
        deploy.active ? '*' : ' ',
        deploy.bundle_id,
        deploy.started_time,
        deploy.task_id ?? '',
        outcomeOf(deploy),
      ]),
    ]);
  },
};

function outcomeOf({ state, end_reason, error }: ContentDeploy): string {
  return end_reason ?? (state === 'failed' ? `failed: ${error}` : state);
}
