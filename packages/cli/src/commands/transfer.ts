// pressroom transfer: transfers content to another owner.
import { resolveContentOption } from '../arguments/content-argument.ts';
import { findUser } from '../arguments/principal.ts';
import { stringOption, type Command } from '../command.ts';
import { show } from '../terminal/output.ts';

const KEEP: Readonly<Record<string, 'owner' | 'viewer' | null>> = {
  edit: 'owner',
  view: 'viewer',
  nothing: null,
};
const KEPT: Readonly<Record<string, string>> = {
  edit: 'The previous owner can still edit it.',
  view: 'The previous owner can still view it.',
  nothing: 'The previous owner no longer has access.',
};

export const transfer: Command = {
  name: 'transfer',
  synopsis: 'transfer USER [--content CONTENT]',
  summary: 'Make another user, who can publish, the owner of content',
  help: [
    '  --content CONTENT    Content to hand over (default: the current directory)',
    '  --keep WORD          What the owner until now keeps: edit, view, nothing (default: edit)',
  ],
  options: { content: { type: 'string' }, keep: { type: 'string' } },
  choices: { keep: Object.keys(KEEP) },
  positionals: [1, 1],
  async run(context) {
    const kept = stringOption(context, 'keep') ?? 'edit';
    const keep = KEEP[kept] ?? null;
    const { client, guid } = await resolveContentOption(context);
    await using _client = client;
    const { signal } = context;
    const user = await findUser(client, context.positionals[0] ?? '', context);
    await client.transferContent({ guid, owner_guid: user.guid, keep }, { signal });
    return show(context, { guid, owner_guid: user.guid, keep }, () => [
      [`${user.username} owns it now. ${KEPT[kept]}`],
    ]);
  },
};
