// pressroom trust: CI pipelines that deploy content with their own token, without a stored key.
import type { TrustedPublisher } from '@pressroom/api/contract';
import { resolveContent } from '../arguments/content-argument.ts';
import { stringOption, type Command, type CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm, show } from '../terminal/output.ts';

const ISSUERS: Readonly<Record<string, string>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
};

const OF_ADD = ['branch', 'environment', 'drafts-only', 'issuer'] as const;

export const trust: Command = {
  name: 'trust',
  synopsis: 'trust [CONTENT]',
  summary: 'Show or set which pipelines deploy without a stored key',
  help: [
    '  --add REPOSITORY     Trust pipelines of it: owner/name',
    '  --branch NAME        Only those that run on this branch',
    '  --environment NAME   Only jobs of this environment',
    '  --drafts-only        They deploy drafts and previews; nothing goes live',
    '  --issuer NAME|URL    github (default), gitlab, or the address of another CI',
    '  --remove ID          Stop trusting it; its keys end',
  ],
  options: {
    add: { type: 'string' },
    branch: { type: 'string' },
    environment: { type: 'string' },
    'drafts-only': { type: 'boolean' },
    issuer: { type: 'string' },
    remove: { type: 'string' },
  },
  positionals: [0, 1],
  async run(context) {
    const repository = stringOption(context, 'add');
    const id = stringOption(context, 'remove');
    if (repository !== undefined && id !== undefined)
      throw new UsageError('--add and --remove cannot be used together.');
    const unused = OF_ADD.find((name) => repository === undefined && context.values[name] !== undefined);
    if (unused !== undefined) throw new UsageError(`--${unused} requires --add REPOSITORY.`);
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const options = { signal: context.signal };
    if (id !== undefined) {
      await client.removeTrustedPublisher({ guid, id }, options);
      return confirm(context, null, `Trusted publisher ${id} was removed.`);
    }
    if (repository !== undefined) {
      const wanted = { guid, repository, ...wantedOf(context) };
      const added = await client.addTrustedPublisher(wanted, options);
      return confirm(
        context,
        added,
        `Trusted publisher ${added.id} (${issuerName(added.issuer)}): ${described(added)}`,
      );
    }
    const all = await client.getTrustedPublishers({ guid }, options);
    return show(context, all, (rows) => [
      ['ID', 'ISSUER', 'PIPELINES', 'DEPLOYS', 'AS', 'LAST USED'],
      ...rows.map((row) => [
        row.id,
        issuerName(row.issuer),
        described(row),
        row.drafts_only ? 'drafts' : 'live',
        row.username,
        row.last_used_time ?? 'never',
      ]),
    ]);
  },
};

function wantedOf(context: CommandContext) {
  const issuer = stringOption(context, 'issuer') ?? 'github';
  return {
    issuer: ISSUERS[issuer] ?? issuer,
    branch: stringOption(context, 'branch') ?? null,
    environment: stringOption(context, 'environment') ?? null,
    drafts_only: context.values['drafts-only'] === true,
  };
}

/** As `--issuer` takes it. */
function issuerName(address: string): string {
  return Object.keys(ISSUERS).find((name) => ISSUERS[name] === address) ?? address;
}

function described({ repository, branch, environment }: TrustedPublisher): string {
  const limits = [
    branch === null ? null : `branch ${branch}`,
    environment === null ? null : `environment ${environment}`,
  ].filter((limit) => limit !== null);
  return [repository, ...limits].join(', ');
}
