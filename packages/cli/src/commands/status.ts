// pressroom status: the state of published content.
import { appModeLabel } from '@pressroom/api/contract';
import { resolveContent } from '../arguments/content-argument.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { show } from '../terminal/output.ts';
import { findPath } from './path.ts';
import { accessLabel } from './share.ts';

export const status: Command = {
  name: 'status',
  synopsis: 'status [CONTENT]',
  summary: 'Show the status of published content',
  positionals: [0, 1],
  async run(context) {
    const { client, guid, record } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const content = await client.getContent({ guid }, { signal: context.signal });
    const path = await findPath(client, guid, context.signal);
    const pending = record !== null && record.bundle_id !== null && record.bundle_id !== content.bundle_id;
    const rows: [string, string][] = [
      ['Server', client.url],
      ['Content', `${content.title ?? content.name} (${content.name})`],
      ['GUID', content.guid],
      ['Address', content.url],
      ['Type', content.bundle_id === null ? 'not deployed yet' : appModeLabel(content.app_mode)],
      ['Access', accessLabel(content.access_type)],
      ['Your role', content.role],
      ['Active bundle', content.bundle_id ?? 'none'],
      ['Last published', content.bundle_id === null ? 'never' : content.last_deployed_time],
    ];
    if (path !== null) rows.splice(4, 0, ['Custom path', `${client.url}${path}`]);
    if (content.dashboard_url !== undefined) rows.splice(4, 0, ['Dashboard', content.dashboard_url]);
    await show(context, { server: client.url, content, path, record, up_to_date: !pending }, () => rows);
    if (pending && !context.json) {
      context.terminal.note(
        `Bundle ${record.bundle_id} was the last one published from this directory, but ${content.bundle_id ?? 'none'} is active.`,
      );
    }
    return EXIT.ok;
  },
};
