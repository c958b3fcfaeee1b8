// `POST /hooks/events`: the content server tells of deploys, failed renders, crashed processes and releases, signed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Services } from '../services.ts';
import { alertInChannels, type ChannelAlert } from './alert-in-channels.ts';
import { announceInChannels, type StartedDeploy } from './channels.ts';
import { readLimited } from './read-limited.ts';
import type { ReleaseStep } from './releases.ts';
import type { Subject } from './subject.ts';
import { troubleKey, troubleMessage, type Trouble } from './trouble.ts';
import type { Texts } from '../texts/en.ts';

export interface SignedEventsOptions {
  /** More than one while the secret changes. */
  readonly secrets: readonly string[];
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
  { secrets, services, channel }: SignedEventsOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = (status: number) => void response.writeHead(status).end();
  const text = await readLimited(request, BODY_LIMIT);
  if (text === null) return void response.writeHead(413, { connection: 'close' }).end();
  const given = String(request.headers['x-pressroom-signature'] ?? '');
  if (!secrets.some((secret) => isSigned(given, text, secret, services.now()))) return answer(401);
  const events = readEvents(text);
  if (events === null) return answer(400);
  const place = await channel();
  for (const event of events) {
    const { complete } =
      'task' in event
        ? await announceInChannels(services, { ...event, channel: place })
        : await alertInChannels(services, alertOf(event));
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

type KnownEvent = Omit<StartedDeploy, 'channel'> | Trouble | ReleaseStep;

function alertOf(event: Trouble | ReleaseStep): ChannelAlert {
  if ('bundle' in event) {
    return { subject: event, key: `event:${event.id}`, filters: ['deploys'], message: event };
  }
  const message = (texts: Texts) => troubleMessage(event, texts);
  const { owner = null } = event;
  return { subject: event, key: troubleKey(event), filters: ['deploys', 'failures'], message, owner };
}

/** What events tell of; null for a body that is none. Events that mean nothing here are left out. */
function readEvents(text: string): KnownEvent[] | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const { events } = (body ?? {}) as { events?: unknown };
  if (!Array.isArray(events)) return null;
  return events.flatMap(
    (event: unknown) => readDeploy(event) ?? readTrouble(event) ?? readRelease(event) ?? [],
  );
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
    content: {
      guid,
      name,
      title: word(content['title']),
      url,
      bundle_id: word(content['bundle_id']),
    },
    task,
    bundle: word(all['bundle_id']),
    who: word(actor['name']) ?? 'somebody',
    via: 'on the server',
    slackUser: null,
    actor: word(actor['guid']),
    otherwise: task,
    time,
  };
}

/** A render that failed, a process that crashed, or a bundle that nobody can approve. */
function readTrouble(event: unknown): Trouble | null {
  const all = fields(event);
  const about = readSubject(all);
  if (about === null) return null;
  if (all['type'] === 'process.crashed')
    return { ...about, what: 'crash', reason: word(all['reason']) ?? 'ended' };
  if (all['type'] === 'release.stuck') {
    const owner = word(fields(all['actor'])['guid']);
    return {
      ...about,
      what: 'stuck',
      reason: word(all['bundle_id']) ?? '',
      ...(owner !== null && { owner }),
    };
  }
  if (all['type'] !== 'render.finished' || all['code'] === 0 || all['code'] === null) return null;
  return { ...about, what: 'render', reason: word(all['task_id']) ?? '' };
}

function readRelease(event: unknown): ReleaseStep | null {
  const all = fields(event);
  const [about, bundle] = [readSubject(all), word(all['bundle_id'])];
  const [, what] = /^release\.(asked|approved|overridden)$/.exec(word(all['type']) ?? '') ?? [];
  if (about === null || bundle === null || what === undefined) return null;
  const who = word(fields(all['actor'])['name']) ?? 'Somebody';
  return { ...about, what: what as ReleaseStep['what'], bundle, who };
}

function readSubject(all: Readonly<Record<string, unknown>>): Subject | null {
  const content = fields(all['content']);
  const [id, guid, name] = [word(all['id']), word(content['guid']), word(content['name'])];
  const time = Date.parse(word(all['time']) ?? '');
  if (id === null || guid === null || name === null || !Number.isFinite(time)) return null;
  return {
    id,
    time,
    content: { guid, title: word(content['title']) ?? name, url: word(content['url']) },
  };
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function word(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
