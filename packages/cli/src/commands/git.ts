// pressroom git: content from a Git repository.
import { RefusedError } from '@pressroom/api/client';
import type { Repository } from '@pressroom/api/contract';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContent } from '../arguments/content-argument.ts';
import { actionOf, stringOption, switchOption, type Command, type CommandContext } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { EXIT, failureOf, UsageError, withHint } from '../exit-codes.ts';
import { confirm, show, warn } from '../terminal/output.ts';
import { watchAndShow } from '../terminal/watch-and-show.ts';

/** Variable with the token: everybody on the machine can read command lines. */
const TOKEN = 'PRESSROOM_GIT_TOKEN';
const OPTIONS_OF = {
  show: [],
  connect: ['create', 'repository', 'branch', 'directory', 'polling', 'no-polling', 'username', 'trust'],
  deploy: ['force'],
  disconnect: [],
  secret: [],
} as const;

export const git: Command = {
  name: 'git',
  synopsis: 'git show|connect|deploy|disconnect|secret [CONTENT]',
  summary: 'Deploy content from a Git repository',
  help: [
    '  show                       The repository, and its last commit and error',
    '  connect --repository URL   Take content from it; once connected, changes what is named',
    '    --create NAME            Create the content, in place of naming it',
    '    --branch NAME            Branch (default: main)',
    '    --directory PATH         Directory with the content (default: the root)',
    '    --polling, --no-polling  Whether the server looks for new commits by itself',
    `    --username NAME          Sent with the token in ${TOKEN} (default: git)`,
    '    --trust FINGERPRINT      Trust this key of the ssh server, of those that show names',
    '  deploy                     Deploy the newest commit now',
    '    --force                  Also a commit that is live already',
    '  disconnect                 Stop; the bundles stay',
    '  secret                     Make another webhook secret',
  ],
  options: {
    create: { type: 'string' },
    repository: { type: 'string' },
    branch: { type: 'string' },
    directory: { type: 'string' },
    polling: { type: 'boolean' },
    'no-polling': { type: 'boolean' },
    username: { type: 'string' },
    trust: { type: 'string' },
    force: { type: 'boolean' },
  },
  words: () => Object.keys(OPTIONS_OF),
  positionals: [1, 2],
  async run(context) {
    const action = actionOf(context, 'git', OPTIONS_OF);
    const name = stringOption(context, 'create');
    if (name !== undefined) return connectNew(context, name);
    const { client, guid } = await resolveContent(context, context.positionals[1]);
    await using _client = client;
    const options = { signal: context.signal };
    if (action === 'deploy') {
      const force = context.values['force'] === true;
      const before = await client.getContent({ guid }, options);
      const { task_id } = await client.deployRepository({ guid, force }, options);
      const code = await watchAndShow(context, client, task_id);
      if (code !== EXIT.ok || context.json) return code;
      const { bundle_id } = await client.getContent({ guid }, options);
      if (bundle_id !== before.bundle_id) context.terminal.note(`Bundle ${bundle_id} is live.`);
      return code;
    }
    if (action === 'disconnect') {
      await client.deleteRepository({ guid }, options);
      return confirm(context, { removed: guid }, 'Disconnected. The bundles stay.');
    }
    if (action === 'secret')
      return secretShown(context, await client.renewRepositorySecret({ guid }, options));
    if (action === 'show')
      return show(
        context,
        await client.getRepository({ guid }, options).catch(connectFirst(context)),
        rowsOf,
      );
    const wanted = wantedOf(context);
    const { repository } = wanted;
    // An existing connection is changed.
    const isThere = await client.getRepository({ guid }, options).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RefusedError && error.status === 404) return false;
        throw error;
      },
    );
    if (isThere) {
      const changed = await client.updateRepository({ guid, ...wanted }, options);
      const code = confirm(context, changed, connectedLine(changed));
      if (!context.json && repository !== undefined)
        for (const line of keyLines(changed)) context.terminal.note(line);
      return code;
    }
    if (repository === undefined) throw new UsageError(NO_REPOSITORY);
    return secretShown(context, await client.setRepository({ guid, ...wanted, repository }, options));
  },
};

const NO_REPOSITORY = 'connect requires --repository URL.';

/** Nothing is left of content that could not be connected. */
async function connectNew(context: CommandContext, name: string): Promise<number> {
  const { repository, ...wanted } = wantedOf(context);
  if (context.positionals[1] !== undefined)
    throw new UsageError('Name the content, or create it with --create NAME: use one.');
  if (repository === undefined) throw new UsageError(NO_REPOSITORY);
  await using client = openClient(context, await resolveConnection(context));
  const options = { signal: context.signal };
  const { guid } = await client.createContent({ name }, options);
  try {
    const connected = await client.setRepository({ guid, ...wanted, repository }, options);
    if (!context.json) context.terminal.note(`Created ${name} (${guid})`);
    return secretShown(context, { content_guid: guid, ...connected });
  } catch (error) {
    await client.deleteContent({ guid }).catch((left: unknown) => {
      const { message } = failureOf(left);
      warn(context, `Not cleaned up: the new content ${name} could not be removed: ${message}`);
      warn(context, `To remove it, run: ${commandHint(context, `delete ${guid}`)}`);
    });
    throw error;
  }
}

/** The content exists but has no repository. */
const connectFirst =
  (context: CommandContext) =>
  (error: unknown): never => {
    if (!(error instanceof RefusedError) || !error.message.includes('not managed by git')) throw error;
    throw withHint(
      error,
      `Connect it with a repository: ${commandHint(context, 'git connect', 'argument')} --repository URL`,
    );
  };

function wantedOf(context: CommandContext) {
  const polling = switchOption(context, 'polling');
  const texts = ['repository', 'branch', 'directory', 'username'].map((name) => [
    name,
    stringOption(context, name),
  ]);
  const given: Partial<Record<'repository' | 'branch' | 'directory' | 'username', string>> =
    Object.fromEntries(texts.filter(([, value]) => value !== undefined));
  const token = context.env[TOKEN];
  const trust = stringOption(context, 'trust');
  return {
    ...given,
    ...(trust !== undefined && { host_keys: [trust] }),
    ...(polling !== undefined && { polling }),
    ...(token && { token }),
  };
}

function secretShown(
  context: CommandContext,
  connected: Repository & { webhook_secret: string; content_guid?: string },
): number {
  const { webhook_url, webhook_secret } = connected;
  const lines = [
    connectedLine(connected),
    ...keyLines(connected),
    `Webhook:  ${webhook_url}`,
    `Secret:   ${webhook_secret} (shown this once)`,
  ];
  if (context.json) context.terminal.printJson(connected);
  else for (const line of lines) context.terminal.note(line);
  return EXIT.ok;
}

const connectedLine = ({ repository, branch }: Repository) =>
  `Connected with ${repository}, branch ${branch}.`;

/** For a repository over ssh: to be entered at its host. */
const keyLines = ({ public_key }: Repository) => (public_key === null ? [] : [`Deploy key: ${public_key}`]);

function rowsOf(one: Repository): string[][] {
  return [
    ['Repository', one.repository],
    ['Branch', one.branch],
    ['Directory', one.directory],
    ['Polling', one.polling ? 'on' : 'off'],
    ['Token', one.has_token ? 'set' : 'none'],
    ['Deploy key', one.public_key ?? 'none'],
    ['Trusted host keys', one.host_keys.join(', ') || 'none'],
    ['Offered host keys', one.offered_host_keys.join(', ') || 'none'],
    ['Webhook', one.webhook_url],
    ['Last commit', one.last_known_commit ?? 'none'],
    ['Last fetch', one.last_fetched_time ?? 'never'],
    ['Last error', one.last_error ?? 'none'],
  ];
}
