// pressroom approvals: how many others have to approve a bundle before it goes live.
import { RefusedError } from '@pressroom/api/client';
import { MOST_APPROVALS } from '@pressroom/api/contract';
import { stringOption, type Command } from '../command.ts';
import { resolveContent } from '../content-argument.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm, show } from '../output.ts';

export const approvals: Command = {
  name: 'approvals',
  synopsis: 'approvals [DIR|GUID]',
  summary: 'Show or set how many collaborators approve what goes live',
  help: [
    '  --require N          Require so many, other than the author',
    '  --remove             Require none',
  ],
  options: { require: { type: 'string' }, remove: { type: 'boolean' } },
  positionals: [0, 1],
  async run(context) {
    const wanted = stringOption(context, 'require');
    const approvals = Number(wanted);
    const isValid = Number.isInteger(approvals) && approvals >= 1 && approvals <= MOST_APPROVALS;
    if (wanted !== undefined && !isValid)
      throw new UsageError(`--require must be a number from 1 to ${MOST_APPROVALS}.`);
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const options = { signal: context.signal };
    if (context.values['remove'] === true) {
      await client.deleteApprovalRule({ guid }, options);
      return confirm(context, null, 'What is deployed goes live without approvals.');
    }
    const rule =
      wanted === undefined
        ? await client.getApprovalRule({ guid }, options).catch(absent)
        : await client.setApprovalRule({ guid, approvals }, options);
    return show(context, rule, (known) => [
      [known === null ? 'No approvals are required.' : `Approvals required: ${known.approvals}`],
    ]);
  },
};

function absent(error: unknown): null {
  if (error instanceof RefusedError && error.code === 4) return null;
  throw error;
}
