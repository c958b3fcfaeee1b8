// pressroom approve: approves a bundle, or overrides the approvals in an emergency.
import { RefusedError } from '@pressroom/api/client';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContentOption } from '../arguments/content-argument.ts';
import { stringOption, type Command, type CommandContext } from '../command.ts';
import { DENIED, withHint } from '../exit-codes.ts';
import { show } from '../terminal/output.ts';

export const approve: Command = {
  name: 'approve',
  synopsis: 'approve BUNDLE [--content CONTENT]',
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
    const { client, guid } = await resolveContentOption(context);
    await using _client = client;
    const options = { signal: context.signal };
    const asked =
      reason === undefined
        ? client.approveRelease({ guid, id }, options)
        : client.overrideRelease({ guid, id, reason }, options);
    const release = await asked.catch(addRemedy(context));
    return show(context, release, ({ approvals, needed, approved }) => [
      [`Bundle ${id}: ${approvals.length} of ${needed} approvals.`],
      ...(approved
        ? [[`To make it live, run: ${commandHint(context, `activate ${id} --content ${guid}`)}`]]
        : []),
    ]);
  },
};

/** Where the server gives a reason, such as that it is the caller's own bundle. */
const addRemedy =
  (context: CommandContext) =>
  (error: unknown): never => {
    if (!(error instanceof RefusedError) || error.code === null || error.message === error.meaning)
      throw error;
    const remedies: Readonly<Record<number, string>> = {
      4: `To list the bundles that wait, run: ${commandHint(context, 'releases', 'argument')}`,
      [DENIED]: 'In an emergency, the owner or an administrator overrides the rule with --override REASON.',
    };
    throw withHint(error, remedies[error.code] ?? error.hint);
  };
