// pressroom preview: discards drafts, for example when their branch is deleted.
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContentOption } from '../arguments/content-argument.ts';
import { findDraft } from '../arguments/find-draft.ts';
import { type Command, type CommandGroup } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm } from '../terminal/output.ts';

const remove: Command = {
  name: 'delete',
  synopsis: 'preview delete NAME|BUNDLE [--content CONTENT]',
  summary: 'Discard a preview or another draft; its bundle stays',
  help: [
    '  --content CONTENT    Content it belongs to (default: the current directory)',
    '  --if-exists          Succeed where there is none',
  ],
  options: { content: { type: 'string' }, 'if-exists': { type: 'boolean' } },
  positionals: [1, 1],
  async run(context) {
    const [named = ''] = context.positionals;
    const { client, guid } = await resolveContentOption(context);
    await using _client = client;
    const draft = await findDraft(client, guid, named, context.signal);
    if (!draft && context.values['if-exists'] === true)
      return confirm(context, null, `There is no draft or preview ${named}.`);
    if (!draft)
      throw new UsageError(
        `The content has no draft or preview ${named}.`,
        `To list them, run: ${commandHint(context, 'drafts', 'argument')}`,
      );
    const { bundle_id: id, task_id } = draft;
    await client.deleteDraft({ guid, id, task_id }, { signal: context.signal });
    return confirm(context, draft, `Discarded the draft of bundle ${draft.bundle_id}.`);
  },
};

export const preview: CommandGroup = {
  name: 'preview',
  synopsis: 'preview delete NAME',
  summary: 'Discard previews of branches',
  commands: [remove],
};
