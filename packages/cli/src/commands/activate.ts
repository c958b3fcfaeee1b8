// pressroom activate: makes a bundle live; a draft goes live unchanged.
import { noteDeployed } from '@pressroom/api/publish';
import { stringOption, type Command } from '../command.ts';
import { resolveContent } from '../arguments/content-argument.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { findDraft } from '../arguments/find-draft.ts';
import { watchAndShow } from '../terminal/watch-and-show.ts';

export const activate: Command = {
  name: 'activate',
  synopsis: 'activate BUNDLE|PREVIEW',
  summary: 'Make a bundle or a draft live',
  help: ['  --content DIR|GUID   Content it belongs to (default: the current directory)'],
  options: { content: { type: 'string' } },
  positionals: [1, 1],
  async run(context) {
    const [named = ''] = context.positionals;
    const { client, guid, dir } = await resolveContent(context, stringOption(context, 'content'));
    await using _client = client;
    const options = { signal: context.signal };
    const isNumber = /^[0-9]{1,15}$/.test(named);
    const draft = isNumber ? undefined : await findDraft(client, guid, named, context.signal);
    const bundle_id = isNumber ? named : draft?.bundle_id;
    if (bundle_id === undefined)
      throw new UsageError(`The content has no preview ${named}.`, 'To list them, run: pressroom drafts');
    const { task_id } = await client.deployContentBundle({ guid, bundle_id }, options);
    const code = await watchAndShow(context, client, task_id);
    if (code === EXIT.ok) {
      const deployed_time = new Date().toISOString();
      await noteDeployed(dir, { server: client.url, guid, bundle_id, deployed_time });
      if (!context.json) context.terminal.note(`Bundle ${bundle_id} is live.`);
    }
    return code;
  },
};
