// pressroom approvals: how many approvals a bundle needs to go live, and from whom.
import { type Client, RefusedError } from '@pressroom/api/client';
import { type ApprovalRule, type Approver, MAX_APPROVALS } from '@pressroom/api/contract';
import { resolveContent } from '../arguments/content-argument.ts';
import { findPrincipal } from '../arguments/principal.ts';
import { listOption, requireAlone, stringOption, type Command, type CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm, show } from '../terminal/output.ts';

const STATES: Record<Exclude<Approver['state'], 'ready'>, string> = {
  locked: 'locked account',
  deleted: 'deleted',
  empty: 'no members',
  not_allowed: 'may not deploy this content',
};

export const approvals: Command = {
  name: 'approvals',
  synopsis: 'approvals [CONTENT]',
  summary: 'Show or set how many collaborators approve what goes live, and who',
  help: [
    '  --require N          Require so many, other than the author',
    '  --by USER|GROUP      Only they approve; repeat it to name more. They have to be collaborators',
    '  --by-anyone          Every collaborator approves',
    '  --remove             Require none',
  ],
  options: {
    require: { type: 'string' },
    by: { type: 'string', multiple: true },
    'by-anyone': { type: 'boolean' },
    remove: { type: 'boolean' },
  },
  positionals: [0, 1],
  async run(context) {
    requireAlone(context, 'remove', ['require', 'by', 'by-anyone']);
    const wanted = stringOption(context, 'require');
    const approvals = Number(wanted);
    const isValid = Number.isInteger(approvals) && approvals >= 1 && approvals <= MAX_APPROVALS;
    if (wanted !== undefined && !isValid)
      throw new UsageError(`--require must be a number from 1 to ${MAX_APPROVALS}.`);
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const options = { signal: context.signal };
    if (context.values['remove'] === true) {
      await client.deleteApprovalRule({ guid }, options);
      return confirm(context, null, 'What is deployed goes live without approvals.');
    }
    const known = await client.getApprovalRule({ guid }, options).catch(absent);
    const approvers = await wantedApprovers(context, client);
    if (wanted === undefined && approvers === undefined) return show(context, known, lines);
    if (wanted === undefined && known === null)
      throw new UsageError('No approvals are required yet: --require says how many.');
    const body = {
      guid,
      approvals: wanted === undefined ? known!.approvals : approvals,
      ...(approvers && { approvers }),
    };
    return show(context, await client.setApprovalRule(body, options), lines);
  },
};

/** Undefined: the rule's approvers are unchanged. */
async function wantedApprovers(context: CommandContext, client: Client) {
  const names = listOption(context, 'by');
  const isAnyone = context.values['by-anyone'] === true;
  if (isAnyone && names.length > 0) throw new UsageError('--by and --by-anyone cannot be used together.');
  if (isAnyone) return [];
  if (names.length === 0) return undefined;
  const found = await Promise.all(names.map((name) => findPrincipal(client, name, context)));
  return found.map(({ principal_guid, principal_type }) => ({ principal_guid, principal_type }));
}

function lines(rule: ApprovalRule | null): string[][] {
  if (rule === null) return [['No approvals are required.']];
  const { approvals: needed, approvers, available } = rule;
  const named = approvers.map(({ name, principal_type, state }) => {
    const who = principal_type === 'group' ? `group ${name}` : name;
    return state === 'ready' ? who : `${who} (${STATES[state] ?? state})`;
  });
  return [
    [`Approvals required: ${needed}`],
    ...(named.length > 0 ? [[`Approved by: ${named.join(', ')}`]] : []),
    ...(available < needed
      ? [
          [
            `Too few people may approve a bundle of yours (${available} of ${needed}): it does not go live by approval. Change who approves with --by.`,
          ],
        ]
      : []),
  ];
}

function absent(error: unknown): null {
  if (error instanceof RefusedError && error.code === 4) return null;
  throw error;
}
