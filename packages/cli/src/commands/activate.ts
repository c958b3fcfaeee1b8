// pressroom activate: makes a bundle live; a draft goes live unchanged.
import { isMissingEndpoint, RefusedError } from '@pressroom/api/client';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContentOption } from '../arguments/content-argument.ts';
import { findDraft } from '../arguments/find-draft.ts';
import { listedBy } from '../arguments/missing-object.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { watchUntilLive } from '../terminal/watch-and-show.ts';

export const activate: Command = {
  name: 'activate',
  synopsis: 'activate BUNDLE|PREVIEW [--content CONTENT]',
  summary: 'Make a bundle or a draft live',
  help: ['  --content CONTENT    Content it belongs to (default: the current directory)'],
  options: { content: { type: 'string' } },
  positionals: [1, 1],
  async run(context) {
    const [named = ''] = context.positionals;
    const { client, guid, dir } = await resolveContentOption(context);
    await using _client = client;
    const options = { signal: context.signal };
    const isNumber = /^[0-9]{1,15}$/.test(named);
    const draft = await findDraft(client, guid, named, context.signal).catch((error: unknown) => {
      // Servers of others have no drafts.
      if (isNumber && (error instanceof RefusedError || isMissingEndpoint(error))) return undefined;
      throw error;
    });
    const bundle_id = isNumber ? named : draft?.bundle_id;
    if (bundle_id === undefined)
      throw new UsageError(
        `The content has no preview ${named}.`,
        `To list them, run: ${commandHint(context, 'drafts', 'argument')}`,
      );
    // A preview may be called like the number of another bundle.
    const isOfBundle = draft?.bundle_id === bundle_id;
    const instructions = { guid, bundle_id, ...(isOfBundle && { draft_task_id: draft.task_id }) };
    const { task_id } = await client
      .deployContentBundle(instructions, options)
      .catch(listedBy(context, 'bundles', draft !== undefined));
    return await watchUntilLive(context, { client, guid, dir }, bundle_id, task_id);
  },
};
