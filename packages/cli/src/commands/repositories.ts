// pressroom repositories: package repositories of content, used instead of the server's.
import type { PackageSource } from '@pressroom/api/contract';
import { resolveContent } from '../arguments/content-argument.ts';
import { actionOf, stringOption, type Command, type CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { show } from '../terminal/output.ts';

/** Variable with the password: everybody on the machine can read command lines. */
const PASSWORD = 'PRESSROOM_PACKAGES_PASSWORD';
const OPTIONS_OF = {
  list: [],
  add: ['python', 'r', 'username'],
  remove: ['python', 'r'],
  clear: [],
} as const;

export const repositories: Command = {
  name: 'repositories',
  synopsis: 'repositories list|add|remove|clear [CONTENT]',
  summary: 'Show or set the package repositories of published content',
  help: [
    '  add --python URL     Also ask this Python index (PEP 503); the first one replaces those of the server',
    '  add --r URL          The same for R, with the layout of CRAN',
    '  remove --python URL  Stop asking it; without any, those of the server are asked (also: remove --r)',
    '  clear                Ask those of the server only',
    '',
    '  URL is https://…, file://… where an administrator allows the directory, or the word server for those of the server',
    `  --username NAME      Sent with the password in ${PASSWORD}`,
  ],
  options: {
    python: { type: 'string' },
    r: { type: 'string' },
    username: { type: 'string' },
  },
  words: () => Object.keys(OPTIONS_OF),
  positionals: [1, 2],
  async run(context) {
    const action = actionOf(context, 'repositories', OPTIONS_OF);
    const named = namedIn(context);
    if ((action === 'add' || action === 'remove') && named === null)
      throw new UsageError(`${action} requires --python URL or --r URL.`);
    const { client, guid } = await resolveContent(context, context.positionals[1]);
    await using _client = client;
    const options = { signal: context.signal };
    const before = await client.getPackageSources({ guid }, options);
    if (action === 'list' || (action !== 'clear' && named === null)) return shown(context, before);
    const isNamed = (one: PackageSource) =>
      one.language === named?.language && sameAddress(one.address, named.address);
    const kept = before.filter((one) => action !== 'clear' && !isNamed(one));
    if (action === 'remove' && kept.length === before.length)
      throw new UsageError(`${named?.address} is not a repository of this content.`);
    const password = context.env[PASSWORD];
    const username = stringOption(context, 'username');
    const sources = [
      ...kept.map(({ language, address, username: name }) => ({ language, address, username: name })),
      ...(action === 'add' && named !== null
        ? [{ ...named, ...(username !== undefined && { username }), ...(password && { password }) }]
        : []),
    ];
    const after = await client.setPackageSources({ guid, sources }, options);
    if (!context.json) context.terminal.note('The change takes effect at the next deploy.');
    return shown(context, after);
  },
};

function namedIn(context: CommandContext): Pick<PackageSource, 'language' | 'address'> | null {
  const [python, r] = [stringOption(context, 'python'), stringOption(context, 'r')];
  if (python !== undefined && r !== undefined) throw new UsageError('Name one repository at a time.');
  if (python !== undefined) return { language: 'python', address: python };
  return r === undefined ? null : { language: 'r', address: r };
}

/** Compared in the server's form. */
function sameAddress(stored: string, typed: string): boolean {
  return stored === typed || (URL.canParse(typed) && stored === new URL(typed).href);
}

function shown(context: CommandContext, all: readonly PackageSource[]): Promise<number> {
  return show(
    context,
    all,
    (sources) =>
      sources.map(({ language, address, username, has_password }) => [
        language === 'r' ? 'R' : 'Python',
        address,
        username ?? '',
        has_password ? 'with a password' : '',
      ]),
    'This content has its packages from the repositories of the server.',
  );
}
