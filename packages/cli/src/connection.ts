// Chooses the server and the API key of a command. A key is only sent to the server it belongs to.
import {
  type Client,
  type ConnectionFactory,
  createClientOver,
  normalizeServerUrl,
  undiciConnection,
  whenSlow,
} from '@pressroom/api/client';
import { missingKeyHint, pipelineKey } from './ci/pipeline-key.ts';
import type { CommandContext } from './command.ts';
import { readCredentials, type Credentials } from './credentials.ts';
import { UsageError } from './exit-codes.ts';

/** Milliseconds after which it is said that a response is waited for; it is given up after a minute. */
const SLOW_MS = 5000;

export interface Connection {
  url: string;
  apiKey: string;
}

/**
 * The server: `--server`, CONNECT_SERVER, the directory's record, the last login; in this order. The key: `--api-key`,
 * CONNECT_API_KEY if it belongs to that server, the stored one, the pipeline's. Throws UsageError, also if a key on the
 * command line would be sent to a server named only by a record: the directory may be somebody else's repository.
 * @param recorded the server in a deployment record.
 * @param guidOn the content of the command on a server: a pipeline gets a key for it.
 */
export async function resolveConnection(
  context: CommandContext,
  recorded?: string,
  guidOn: (url: string) => string | undefined = () => undefined,
): Promise<Connection> {
  const { values, env } = context;
  const flag = text(values['server']);
  const fromEnvironment = env['CONNECT_SERVER'] ? normalizeServerUrl(env['CONNECT_SERVER']) : undefined;
  const credentials = await readCredentials(env);
  const url = namedServer(context, recorded) ?? credentials.default;
  if (url === null) {
    throw new UsageError(
      'No server is configured.',
      'Run: pressroom login, or set CONNECT_SERVER and CONNECT_API_KEY.',
    );
  }
  context.about.server = url === (fromEnvironment ?? credentials.default) ? undefined : url;
  const keyFlag = text(values['api-key']);
  if (keyFlag !== undefined && flag === undefined && fromEnvironment === undefined)
    requireKnown(url, credentials);
  // Without CONNECT_SERVER, the key in the environment belongs to the server on the command line only.
  const ownKey = fromEnvironment === undefined ? flag !== undefined : fromEnvironment === url;
  const known = keyFlag ?? ((ownKey && env['CONNECT_API_KEY']) || credentials.servers[url]?.api_key);
  const guid = guidOn(url);
  const apiKey =
    known ?? (guid === undefined ? undefined : await pipelineKey(env, url, guid, context.signal));
  if (apiKey === undefined || apiKey === '') {
    throw new UsageError(`There is no API key for ${url}.`, missingKeyHint(env, url, guid !== undefined));
  }
  return { url, apiKey };
}

/** `--server`, else CONNECT_SERVER, else the recorded one. */
export function namedServer({ values, env }: CommandContext, recorded?: string): string | undefined {
  const given = text(values['server']) ?? text(env['CONNECT_SERVER']);
  return given === undefined ? recorded : normalizeServerUrl(given);
}

function requireKnown(url: string, { servers, default: usual }: Credentials): void {
  if (Object.hasOwn(servers, url)) return;
  const own = usual === null ? 'You are not signed in to any server' : `You are signed in to ${usual}`;
  throw new UsageError(
    `The deployment record of this directory names the server ${url}, which you are not signed in to. ${own}. The API key was not sent.`,
    `If the API key is for that server, add --server ${url}.`,
  );
}

/** A client for the resolved server that prints notices to the terminal. */
export function openClient(context: CommandContext, connection: { url: string; apiKey?: string }): Client {
  const note = (message: string) => {
    if (!context.json) context.terminal.note(`Note: ${message}`);
  };
  return createClientOver(
    {
      ...connection,
      env: context.env,
      onNotice: ({ kind, message }) => note(kind === 'retry' ? `${message} Trying again …` : message),
    },
    watched(() => note(`Waiting for a response from ${connection.url} …`)),
  );
}

/** @param waiting called once, if a response is slow */
function watched(waiting: () => void): ConnectionFactory {
  let isSaid = false;
  const say = () => {
    if (!isSaid) waiting();
    isSaid = true;
  };
  return (options) => {
    const connection = undiciConnection(options);
    return {
      async request(request) {
        const timer = whenSlow(request, SLOW_MS, say);
        try {
          return await connection.request(request);
        } finally {
          timer.stop();
        }
      },
      destroy: () => connection.destroy(),
    };
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
