// `POST /hooks/deployments`: the command line, an editor or CI hands a deploy over to be announced.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RefusedError } from '@pressroom/api/client';
import { deploysOf } from '../commands/shared/deploys-of.ts';
import { fullName } from '../blocks/names.ts';
import type { Services } from '../services.ts';
import { announceInChannels } from './channels.ts';
import { readLimited } from './read-limited.ts';

export interface HandOverOptions {
  readonly secret: string;
  readonly services: Services;
  /** A channel that gets every deploy; null for none. */
  readonly channel: { readonly team: string; readonly id: string } | null;
}

const BODY_LIMIT = 16_384;
/** Seconds that a signature is valid. */
const FRESH = 300;
const SOURCES: Readonly<Record<string, string>> = {
  cli: 'from the command line',
  vscode: 'from VS Code',
  ci: 'from CI',
};
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function handOver(
  { secret, services, channel }: HandOverOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = (status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const text = await readLimited(request, BODY_LIMIT);
  if (text === null) return answer(413, { error: 'too large' });
  if (!isSigned(request, text, secret, services.now())) return answer(401, { error: 'invalid signature' });
  const deploy = readBody(text);
  if (!deploy) return answer(400, { error: 'content_guid and task_id are required' });
  const { service, server } = services.clients;
  if (service === null) return answer(503, { error: 'the bot has no service key' });
  if (deploy.server.replace(/\/+$/, '') !== server)
    return answer(422, { error: 'the deploy is on another content server' });
  try {
    // The request is only a pointer: everything shown is read from the server.
    const signal = AbortSignal.timeout(9000);
    const content = await service.getContent({ guid: deploy.content_guid }, { signal });
    // Whose task it is, and of which content, says the server.
    const listed = await deploysOf({ client: service, signal }, content.guid);
    const known = listed?.find(({ task_id }) => task_id === deploy.task_id);
    if (listed !== null && known === undefined)
      return answer(422, { error: 'no such deploy of this content' });
    if (listed === null) await service.getTask({ id: deploy.task_id, first: 0, wait: 0 }, { signal });
    const who = await whoStarted(services, known?.user_guid ?? deploy.user_guid, content.owner_guid, signal);
    const { notices } = await announceInChannels(services, {
      content,
      task: deploy.task_id,
      bundle: known?.bundle_id ?? deploy.bundle_id,
      who,
      via: SOURCES[deploy.source] ?? SOURCES['cli']!,
      slackUser: null,
      otherwise: deploy.task_id,
      time: known === undefined ? services.now() : Date.parse(known.started_time),
      channel,
    });
    return answer(202, { told: notices.length });
  } catch (error) {
    services.log.warn({ err: error }, 'a hand-over failed');
    const missing = error instanceof RefusedError && error.status === 404;
    return answer(missing ? 422 : 503, {
      error: missing ? 'no such content or task' : 'the content server did not respond',
    });
  }
}

/** The user that the caller named; without one, the owner of the content. */
async function whoStarted(
  { clients }: Services,
  userGuid: string | null,
  owner: string,
  signal: AbortSignal,
): Promise<string> {
  return clients.service!.getUser({ guid: userGuid ?? owner }, { signal }).then(fullName, () => 'somebody');
}

interface HandedOver {
  readonly server: string;
  readonly content_guid: string;
  readonly task_id: string;
  readonly bundle_id: string | null;
  readonly user_guid: string | null;
  readonly source: string;
}

function readBody(text: string): HandedOver | null {
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
  const word = (key: string) => (typeof body?.[key] === 'string' ? (body[key] as string) : '');
  if (!GUID.test(word('content_guid')) || !/^[A-Za-z0-9]{1,64}$/.test(word('task_id'))) return null;
  return {
    server: word('server'),
    content_guid: word('content_guid').toLowerCase(),
    task_id: word('task_id'),
    bundle_id: /^\d{1,15}$/.test(word('bundle_id')) ? word('bundle_id') : null,
    user_guid: GUID.test(word('user_guid')) ? word('user_guid').toLowerCase() : null,
    source: word('source'),
  };
}

function isSigned(request: IncomingMessage, text: string, secret: string, now: number): boolean {
  const time = String(request.headers['x-pressroom-timestamp'] ?? '');
  const given = Buffer.from(String(request.headers['x-pressroom-signature'] ?? ''));
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > FRESH) return false;
  const wanted = Buffer.from(`v0=${createHmac('sha256', secret).update(`v0:${time}:${text}`).digest('hex')}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
