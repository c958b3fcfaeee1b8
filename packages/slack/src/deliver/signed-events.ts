// `POST /hooks/events`: the content server tells of deploys as they begin and end, signed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Services } from '../services.ts';
import { announceInChannels, type StartedDeploy } from './channels.ts';
import { readLimited } from './read-limited.ts';

export interface SignedEventsOptions {
  readonly secret: string;
  readonly services: Services;
  /** A channel that gets every deploy; null for none. */
  readonly channel: () => Promise<StartedDeploy['channel']>;
}

/** A hundred events of long names. */
const BODY_LIMIT = 1_000_000;
/** Seconds that a signature is valid. */
const FRESH = 300;

/** An event is taken once it is stored: for all other answers the server sends it again, and what comes again is known. */
export async function takeSignedEvents(
  { secret, services, channel }: SignedEventsOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = (status: number) => void response.writeHead(status).end();
  const text = await readLimited(request, BODY_LIMIT);
  if (text === null) return answer(413);
  const given = String(request.headers['x-pressroom-signature'] ?? '');
  if (!isSigned(given, text, secret, services.now())) return answer(401);
  const events = readEvents(text);
  if (events === null) return answer(400);
  const place = await channel();
  for (const deploy of events) {
    const { complete } = await announceInChannels(services, { ...deploy, channel: place });
    if (!complete) return answer(503);
  }
  return answer(204);
}

function isSigned(given: string, text: string, secret: string, now: number): boolean {
  const [, time, mac] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(given) ?? [];
  if (time === undefined || mac === undefined || Math.abs(now / 1000 - Number(time)) > FRESH) return false;
  const wanted = createHmac('sha256', secret).update(`${time}.${text}`).digest();
  return timingSafeEqual(Buffer.from(mac, 'hex'), wanted);
}

/** The deploys that events tell of; null for a body that is none. Other events are left out. */
function readEvents(text: string): Omit<StartedDeploy, 'channel'>[] | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const { events } = (body ?? {}) as { events?: unknown };
  if (!Array.isArray(events)) return null;
  return events.flatMap((event: unknown) => readDeploy(event) ?? []);
}

function readDeploy(event: unknown): Omit<StartedDeploy, 'channel'> | null {
  const all = fields(event);
  const content = fields(all['content']);
  const actor = fields(all['actor']);
  const [type, task, guid] = [all['type'], all['task_id'], content['guid']];
  const time = Date.parse(word(all['started_time']) ?? '');
  if (type !== 'deploy.started' && type !== 'deploy.finished') return null;
  if (typeof task !== 'string' || typeof guid !== 'string' || !Number.isFinite(time)) return null;
  const name = word(content['name']);
  // Deleted since.
  if (name === null) return null;
  const url = word(content['url']) ?? '';
  return {
    content: { guid, name, title: word(content['title']), url, bundle_id: word(content['bundle_id']) },
    task,
    bundle: word(all['bundle_id']),
    who: word(actor['name']) ?? 'somebody',
    via: 'on the server',
    slackUser: null,
    otherwise: task,
    time,
  };
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function word(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
