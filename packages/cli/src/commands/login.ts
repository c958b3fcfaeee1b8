// pressroom login: gets an API key through the browser, by pasting, or with username and password, and stores it.
import { hostname } from 'node:os';
import {
  type Client,
  isThisMachine,
  normalizeServerUrl,
  RefusedError,
  statusOf,
} from '@pressroom/api/client';
import { type BrowserCode, BrowserSignInError, signInWithBrowser } from '@pressroom/api/sign-in';
import { stringOption, type Command, type CommandContext } from '../command.ts';
import { openClient } from '../connection.ts';
import { readCredentials, storeCredential } from '../credentials.ts';
import { UsageError } from '../exit-codes.ts';
import { show } from '../terminal/output.ts';
import { createPrompt, type Prompt } from '../terminal/prompt.ts';

export const login: Command = {
  name: 'login',
  synopsis: 'login [SERVER]',
  summary: 'Sign in to a server and store an API key',
  help: [
    '  --browser          Sign in through the browser (default on a terminal if the server supports it);',
    '                     exit code 3 if the sign-in is denied, or not approved within ten minutes',
    '  --paste            Paste an API key instead',
    '  --username NAME    Sign in with username and password instead; creates an API key',
    '  --key-name NAME    Name of the new API key on the server',
  ],
  options: {
    browser: { type: 'boolean' },
    paste: { type: 'boolean' },
    username: { type: 'string' },
    'key-name': { type: 'string' },
  },
  positionals: [0, 1],
  run,
};

async function run(context: CommandContext): Promise<number> {
  // A key that cannot be stored would be left on the server.
  await readCredentials(context.env);
  const prompt = createPrompt(context.stdin, context.stderr, context.signal);
  try {
    const named = context.positionals[0] ?? stringOption(context, 'server') ?? context.env['CONNECT_SERVER'];
    const url = normalizeServerUrl(named || (await prompt.ask('Server: ')));
    if (url.startsWith('http:') && !isThisMachine(url.slice('http://'.length))) {
      context.terminal.note('Warning: this address uses http. Others on the network can read the API key.');
    }
    const { key, isMade } = await obtainKey(context, prompt, url);
    const username = await whoHolds(context, url, key).catch((error: unknown) => {
      // A key that the server has made would be left there, and nobody would know it.
      if (isMade && !isCertain(error)) return '';
      throw error;
    });
    const file = await storeCredential(context.env, url, { api_key: key, username });
    context.signal.throwIfAborted();
    const who = username === '' ? '' : ` as ${username}`;
    return show(context, { server: url, username, file }, () => [
      [`Signed in to ${url}${who}. The key is in ${file}.`],
    ]);
  } finally {
    prompt.close();
  }
}

interface Obtained {
  readonly key: string;
  /** By the server just now, for this sign-in. */
  readonly isMade: boolean;
}

/** Not certain: the server is gone, or fails. */
function isCertain(error: unknown): boolean {
  return error instanceof RefusedError && error.status < 500;
}

async function obtainKey(context: CommandContext, prompt: Prompt, url: string): Promise<Obtained> {
  const given = stringOption(context, 'api-key');
  if (given !== undefined) return { key: given, isMade: false };
  let username = stringOption(context, 'username');
  const { browser, paste } = context.values;
  if (browser === true || (username === undefined && paste !== true && context.stdin.isTTY === true)) {
    const key = await throughBrowser(context, url);
    if (key !== null) return { key, isMade: true };
  }
  if (username === undefined) {
    const key = await prompt.ask('API key (leave empty to sign in with username and password): ', {
      secret: true,
    });
    if (key !== '') return { key, isMade: false };
    username = await prompt.ask('Username: ');
  }
  const password = await prompt.ask('Password: ', { secret: true });
  if (username === '' || password === '')
    throw new UsageError('Enter a username and password, or an API key.');
  const name = keyName(context);
  await using client = openClient(context, { url });
  const options = { signal: context.signal };
  await client.login({ username, password }, options);
  return { key: await makeKey(client, name, options), isMade: true };
}

/** Null if the server does not offer it; then another way is used. */
async function throughBrowser(context: CommandContext, url: string): Promise<string | null> {
  const { terminal, signal } = context;
  const onCode = (code: BrowserCode) => {
    terminal.note(`Open ${code.verification_uri_complete}`);
    terminal.note(
      `and approve the sign-in if the page shows the code ${code.user_code}. Press Ctrl-C to cancel.`,
    );
  };
  await using client = openClient(context, { url });
  try {
    return (await signInWithBrowser(client, { clientName: keyName(context), onCode, signal })).key;
  } catch (error) {
    if (!(error instanceof BrowserSignInError && error.kind === 'unsupported')) throw error;
    terminal.note(`${error.message} ${error.hint}`);
    return null;
  }
}

function keyName(context: CommandContext): string {
  return stringOption(context, 'key-name') ?? `pressroom on ${hostname()}`;
}

async function makeKey(client: Client, name: string, options: { signal: AbortSignal }): Promise<string> {
  try {
    return (await client.createOwnApiKey({ name }, options)).key;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    // Servers without that endpoint create keys below the user.
    const { guid } = await client.getCurrentUser({}, options);
    return (await client.createApiKey({ guid, name }, options)).key;
  }
}

/** Username of the key's owner; empty on older servers. Throws for an invalid key. */
async function whoHolds(context: CommandContext, url: string, apiKey: string): Promise<string> {
  await using client = openClient(context, { url, apiKey });
  const options = { signal: context.signal };
  if ((await client.dialect(options)) === 'ga') return (await client.getCurrentUser({}, options)).username;
  try {
    await client.getUsers({ page_size: 1 }, options);
  } catch (error) {
    if (!(error instanceof RefusedError && error.status === 403)) throw error;
  }
  return '';
}
