// Parses events of the content server: each is validated, none is trusted.
import type { Trouble } from '../alerts/trouble.ts';
import type { StartedDeploy } from '../deploys/announce-in-channels.ts';
import type { ReleaseStep } from '../releases/releases.ts';
import type { RenderedEvent } from '../renderings/renderings.ts';
import type { RequestEvent } from '../requests/requests.ts';
import type { Subject } from '../subject.ts';
import type { DeletedEvent } from '../subscriptions/end-subscription.ts';
import type { UnusedEvent } from '../unused/unused.ts';

type KnownEvent =
  | Omit<StartedDeploy, 'channel'>
  | Trouble
  | ReleaseStep
  | RequestEvent
  | DeletedEvent
  | UnusedEvent
  | RenderedEvent;

/** The known events in a body; null if it is invalid. Others are skipped. */
export function readEvents(text: string): KnownEvent[] | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const { events } = (body ?? {}) as { events?: unknown };
  if (!Array.isArray(events)) return null;
  return events.flatMap(
    (event: unknown) =>
      readDeploy(event) ??
      readTrouble(event) ??
      readRelease(event) ??
      readCanary(event) ??
      readDraft(event) ??
      readRequest(event) ??
      readDeleted(event) ??
      readUnused(event) ??
      readRendered(event) ??
      [],
  );
}

/** Error code of a rendering that waits for review. */
const HELD = 22;

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

/** A failed or held render, a crashed process, or a stuck release. */
function readTrouble(event: unknown): Trouble | null {
  const all = fields(event);
  const about = readSubject(all);
  if (about === null) return null;
  if (all['type'] === 'process.crashed')
    return { ...about, what: 'crash', ...whyOf(all), reason: word(all['reason']) ?? 'ended' };
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
  // Somebody cancelled it.
  if (all['reason'] === 'cancelled') return null;
  const reason = word(all['task_id']) ?? '';
  if (all['code'] !== HELD) return { ...about, what: 'render', reason };
  // What is held of the document itself is a draft, with an event of its own.
  return fields(all['rendering'])['variant'] === 'default'
    ? null
    : { ...about, what: 'held_variant', reason };
}

function readRelease(event: unknown): ReleaseStep | null {
  const all = fields(event);
  const [, what] = /^release\.(asked|approved|overridden|withdrawn)$/.exec(word(all['type']) ?? '') ?? [];
  // What is withdrawn may be deleted.
  const about = readSubject(all, what === 'withdrawn' ? '' : null);
  const bundle = word(all['bundle_id']);
  if (about === null || bundle === null || what === undefined) return null;
  const who = word(fields(all['actor'])['name']) ?? 'Somebody';
  return { ...about, what: what as ReleaseStep['what'], bundle, who, ...whyOf(all) };
}

const CANARY_STEPS: Readonly<Record<string, ReleaseStep['what']>> = {
  'canary.started': 'canary',
  'canary.waiting': 'waiting',
  'canary.back': 'back',
  'canary.replaced': 'replaced',
};

/** Its deploy reports that one is live. */
function readCanary(event: unknown): ReleaseStep | null {
  const all = fields(event);
  const [about, bundle] = [readSubject(all), word(all['bundle_id'])];
  const type = word(all['type']) ?? '';
  const what = Object.hasOwn(CANARY_STEPS, type) ? CANARY_STEPS[type] : undefined;
  if (about === null || bundle === null || what === undefined) return null;
  const who = word(fields(all['actor'])['name']) ?? 'Somebody';
  const actor = word(fields(all['actor'])['guid']);
  return { ...about, what, bundle, who, actor, draft_task: word(all['task_id']), ...whyOf(all) };
}

function readDraft(event: unknown): ReleaseStep | null {
  const all = fields(event);
  const [bundle, type] = [word(all['bundle_id']), word(all['type'])];
  // What ended may be deleted.
  const about = readSubject(all, type === 'draft.ended' ? '' : null);
  if (about === null || bundle === null) return null;
  const who = word(fields(all['actor'])['name']) ?? 'Somebody';
  const actor = word(fields(all['actor'])['guid']);
  const draft_task = word(all['task_id']);
  if (type === 'draft.held') return { ...about, what: 'held', bundle, who, draft_task, ...whyOf(all) };
  if (type === 'draft.ended') return { ...about, what: 'draft_ended', bundle, who, ...whyOf(all) };
  if (type !== 'draft.started' && type !== 'draft.finished') return null;
  if (type === 'draft.started') return { ...about, what: 'preparing', bundle, who };
  if (all['code'] !== 0)
    return {
      ...about,
      what: all['reason'] === 'cancelled' ? 'draft_cancelled' : 'draft_failed',
      bundle,
      who,
      actor,
      draft_task,
    };
  return { ...about, what: 'draft', bundle, who, draft_task, reason: word(all['draft_url']) };
}

function whyOf(all: Record<string, unknown>): Pick<ReleaseStep, 'reason' | 'reason_code' | 'reason_detail'> {
  return {
    reason: word(all['reason']),
    reason_code: word(all['reason_code']),
    reason_detail: word(all['reason_detail']),
  };
}

/** A request for access or a role: made, decided or expired. */
function readRequest(event: unknown): RequestEvent | null {
  const all = fields(event);
  const type = /^(access|role)\.(asked|granted|declined|expired)$/.exec(word(all['type']) ?? '');
  if (type === null) return null;
  const [, kind, what] = type as unknown as [string, RequestEvent['kind'], RequestEvent['what']];
  const request = fields(all['request']);
  const requester = fields(request['user']);
  const about = readSubject(all);
  const [id, key, guid] = [word(all['id']), word(request['id']), word(requester['guid'])];
  const time = Date.parse(word(all['time']) ?? '');
  if (id === null || key === null || guid === null || !Number.isFinite(time)) return null;
  // Its content was deleted.
  if (kind === 'access' && about === null) return null;
  const deciders = Array.isArray(request['deciders']) ? request['deciders'] : [];
  return {
    id,
    time,
    kind,
    what,
    request: key,
    content: kind === 'access' ? (about?.content ?? null) : null,
    requester: { guid, name: word(requester['name']) ?? 'Somebody' },
    message: word(request['message']),
    role: word(request['role']),
    by: word(fields(all['actor'])['name']) ?? 'Somebody',
    deciders: deciders.flatMap((one: unknown) => word(fields(one)['guid']) ?? []),
  };
}

function readDeleted(event: unknown): DeletedEvent | null {
  const all = fields(event);
  const guid = word(fields(all['content'])['guid']);
  if (all['type'] !== 'content.deleted' || guid === null) return null;
  return { what: 'deleted', guid, who: word(fields(all['actor'])['name']) };
}

/** Unused content: the actor is its owner. */
function readUnused(event: unknown): UnusedEvent | null {
  const all = fields(event);
  const [about, owner] = [readSubject(all), word(fields(all['actor'])['guid'])];
  if (all['type'] !== 'content.unused' || about === null || owner === null) return null;
  return { ...about, what: 'unused', owner };
}

/** A current scheduled rendering that its report does not suppress. */
function readRendered(event: unknown): RenderedEvent | null {
  const all = fields(event);
  const rendering = fields(all['rendering']);
  const [about, variant] = [readSubject(all), word(rendering['variant'])];
  if (all['type'] !== 'render.finished' || all['code'] !== 0 || about === null || variant === null)
    return null;
  const isSent = rendering['is_scheduled'] === true && rendering['is_suppressed'] === false;
  return isSent && rendering['rendering_id'] !== null ? { ...about, what: 'rendered', variant } : null;
}

/** @param deletedName instead of the name of deleted content; null refuses it */
function readSubject(
  all: Readonly<Record<string, unknown>>,
  deletedName: string | null = null,
): Subject | null {
  const content = fields(all['content']);
  const [id, guid, name] = [word(all['id']), word(content['guid']), word(content['name']) ?? deletedName];
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
