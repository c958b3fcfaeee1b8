// pressroom login: gets a key through the browser, takes one that is pasted, or makes one with name and password; keeps it.
import { hostname } from 'node:os';
import { type Client, isCallFailure, normalizeServerUrl, RefusedError } from '@pressroom/api/client';
import { type BrowserCode, BrowserSignInError, signInWithBrowser } from '@pressroom/api/sign-in';
import { stringOption, type Command, type CommandContext } from '../command.ts';
import { openClient } from '../connection.ts';
import { storeCredential } from '../credentials.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { createPrompt, type Prompt } from '../prompt.ts';

export const login: Command = {
  name: 'login',
  synopsis: 'login [SERVER]',
  summary: 'Sign in to a server and keep its API key',
  help: [
    '  --browser          Sign in in the browser, as is done on a terminal where the server offers it;',
    '                     exit code 3 when it is denied there, or not allowed within ten minutes',
    '  --paste            Ask for an API key instead',
    '  --username NAME    Sign in with name and password instead; makes a key',
    '  --key-name NAME    What the new key is called on the server',
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
  const prompt = createPrompt(context.stdin, context.stderr, context.signal);
  try {
    const named = context.positionals[0] ?? stringOption(context, 'server') ?? context.env['CONNECT_SERVER'];
    const url = normalizeServerUrl(named || (await prompt.ask('Server: ')));
    if (url.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(url)) {
      context.terminal.note('Note: the address starts with http: the key can be read by others on the way.');
    }
    const apiKey = await obtainKey(context, prompt, url);
    const username = await whoHolds(context, url, apiKey);
    const file = await storeCredential(context.env, url, { api_key: apiKey, username });
    if (context.json) context.terminal.printJson({ server: url, username, file });
    else
      context.terminal.print(
        `Signed in to ${url}${username === '' ? '' : ` as ${username}`}. The key is in ${file}.`,
      );
    return EXIT.ok;
  } finally {
    prompt.close();
  }
}

async function obtainKey(context: CommandContext, prompt: Prompt, url: string): Promise<string> {
  const given = stringOption(context, 'api-key');
  if (given !== undefined) return given;
  let username = stringOption(context, 'username');
  const { browser, paste } = context.values;
  if (browser === true || (username === undefined && paste !== true && context.stdin.isTTY === true)) {
    const key = await throughBrowser(context, url);
    if (key !== null) return key;
  }
  if (username === undefined) {
    const key = await prompt.ask('API key (empty to sign in with name and password): ', { secret: true });
    if (key !== '') return key;
    username = await prompt.ask('Username: ');
  }
  const password = await prompt.ask('Password: ', { secret: true });
  if (username === '' || password === '')
    throw new UsageError('Name and password are needed, or an API key.');
  const name = keyName(context);
  await using client = openClient(context, { url });
  const options = { signal: context.signal };
  await client.login({ username, password }, options);
  return await makeKey(client, name, options);
}

/** Null where the server does not offer it; another way is asked for then. */
async function throughBrowser(context: CommandContext, url: string): Promise<string | null> {
  const { terminal, signal } = context;
  const onCode = (code: BrowserCode) => {
    terminal.note(`Open ${code.verification_uri_complete}`);
    terminal.note(`and allow it if the page shows the code ${code.user_code}. Waiting; Ctrl-C stops.`);
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
    if (!(isCallFailure(error) && 'status' in error && error.status === 404)) throw error;
    // Servers without that endpoint make keys below the user.
    const { guid } = await client.getCurrentUser({}, options);
    return (await client.createApiKey({ guid, name }, options)).key;
  }
}

/** Name of the key's holder; empty on older servers, which do not say. Throws when the key is no good. */
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
