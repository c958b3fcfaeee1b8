// pressroom approve: approves a bundle, or overrides the approvals in an emergency.
import { resolveContent } from '../arguments/content-argument.ts';
import { stringOption, type Command } from '../command.ts';
import { show } from '../terminal/output.ts';

export const approve: Command = {
  name: 'approve',
  synopsis: 'approve BUNDLE',
  summary: 'Approve a bundle that waits to go live',
  help: [
    '  --content CONTENT    Content it belongs to (default: the current directory)',
    '  --override REASON    Let it go live without the approvals it lacks; for the owner and administrators',
  ],
  options: { content: { type: 'string' }, override: { type: 'string' } },
  positionals: [1, 1],
  async run(context) {
    const [id = ''] = context.positionals;
    const reason = stringOption(context, 'override');
    const { client, guid } = await resolveContent(context, stringOption(context, 'content'));
    await using _client = client;
    const options = { signal: context.signal };
    const release =
      reason === undefined
        ? await client.approveRelease({ guid, id }, options)
        : await client.overrideRelease({ guid, id, reason }, options);
    return show(context, release, ({ approvals, needed, approved }) => [
      [`Bundle ${id}: ${approvals.length} of ${needed} approvals.`],
      ...(approved ? [[`To make it live, run: pressroom activate ${id} --content ${guid}`]] : []),
    ]);
  },
};
