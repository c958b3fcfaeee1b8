// pressroom access-requests: who asks for access to content, and what is decided.
import { stringOption, type Command } from '../command.ts';
import { resolveContent } from '../content-argument.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm, show } from '../output.ts';

export const accessRequests: Command = {
  name: 'access-requests',
  synopsis: 'access-requests [DIR|GUID]',
  summary: 'Show, grant or decline requests for access',
  help: [
    '  --grant ID           Give who asks access',
    '  --decline ID         Remove the request',
    '  --role ROLE          What a grant makes: viewer (default), or owner for a collaborator',
  ],
  options: {
    grant: { type: 'string' },
    decline: { type: 'string' },
    role: { type: 'string' },
  },
  positionals: [0, 1],
  async run(context) {
    const granted = stringOption(context, 'grant');
    const declined = stringOption(context, 'decline');
    const role = stringOption(context, 'role');
    if (granted !== undefined && declined !== undefined)
      throw new UsageError('--grant and --decline cannot be used together.');
    if (role !== undefined && granted === undefined) throw new UsageError('--role needs --grant.');
    if (role !== undefined && role !== 'viewer' && role !== 'owner')
      throw new UsageError('--role is viewer or owner.');
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const options = { signal: context.signal };
    if (granted !== undefined) {
      const decision = { guid, id: granted, decision: 'grant', role: role ?? 'viewer' } as const;
      await client.decideContentAccessRequest(decision, options);
      return confirm(context, null, `Request ${granted} was granted.`);
    }
    if (declined !== undefined) {
      await client.decideContentAccessRequest({ guid, id: declined, decision: 'decline' }, options);
      return confirm(context, null, `Request ${declined} was declined.`);
    }
    const all = await client.getContentAccessRequests({ guid }, options);
    return show(context, all, (rows) => [
      ['ID', 'WHO', 'ASKED', 'MESSAGE'],
      ...rows.map((row) => [row.id, row.username, row.created_time, row.message ?? '']),
    ]);
  },
};
