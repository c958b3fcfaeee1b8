// Starts a deploy with the invoker's rights, announced in the invoker's channel.
import { type Client, type ContentItem, NoResponseError, RefusedError } from '@pressroom/api/client';
import { fullName } from '../../blocks/names.ts';
import { announceInChannels } from '../../deliver/deploys/announce-in-channels.ts';
import type { Invoker } from '../../deliver/transport/reply.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { deployTexts } from '../deploy/texts.ts';
import { deploysIn } from './audit-log.ts';

export interface StartOptions {
  readonly client: Client;
  readonly invoker: Invoker;
  readonly content: ContentItem;
  /** Null for the active bundle. */
  readonly bundle: string | null;
  /** Of the draft or canary that goes live; null for whatever the bundle has. */
  readonly draftTask?: string | null;
  readonly signal: AbortSignal;
  readonly texts: Texts;
}

/** The response to a deploy was lost: it may have started. */
export class MaybeStarted extends Error {
  override readonly name = 'MaybeStarted';
}

/** Somebody else is already making the bundle live. */
export class AlreadyStarted extends Error {
  override readonly name = 'AlreadyStarted';
  readonly by: string;
  readonly task: string;
  constructor(by: string, task: string, cause: RefusedError) {
    super('the bundle is already going live', { cause });
    this.by = by;
    this.task = task;
  }
}

/** @throws MaybeStarted, AlreadyStarted */
export async function startDeploy(
  services: Services,
  options: StartOptions,
): Promise<{ task: string; where: string }> {
  const { client, invoker, content, bundle, draftTask = null, signal, texts } = options;
  const [me, place] = await Promise.all([
    client.getCurrentUser({}, { signal }),
    placeOf(services, invoker, texts),
  ]);
  const began = services.now();
  const deploying = client.deployContentBundle({
    guid: content.guid,
    ...(bundle !== null && { bundle_id: bundle }),
    ...(draftTask !== null && { draft_task_id: draftTask }),
  });
  const task_id = await deploying.then(
    ({ task_id: id }) => id,
    async (error: unknown) => {
      if (!mayHaveArrived(error)) throw alreadyStarted(error) ?? error;
      const started = await startedBy(services, invoker, content.guid, began).catch(() => null);
      if (started !== null) return started;
      throw new MaybeStarted('the response to a deploy was lost', { cause: error });
    },
  );
  await announceInChannels(services, {
    content,
    task: task_id,
    bundle: bundle ?? content.bundle_id,
    who: fullName(me),
    via: 'from Slack',
    slackUser: invoker.user,
    otherwise: task_id,
    time: services.now(),
    channel: { team: invoker.team, id: place.channel },
  });
  return { task: task_id, where: place.where };
}

/** Where to announce what somebody started: in that channel, else in direct messages. */
export async function placeOf(
  { slack, command }: Pick<Services, 'slack' | 'command'>,
  { team, channel, user }: Invoker,
  texts: Texts,
): Promise<{ channel: string; where: string }> {
  const deploy = deployTexts(texts);
  if (channel !== '' && (await slack.canPost(team, channel))) return { channel, where: deploy.channelShows };
  const where = channel === '' ? deploy.directShows : deploy.notInChannel(command.replace('/', '@'));
  return { channel: await slack.directMessages(team, user), where };
}

function alreadyStarted(error: unknown): AlreadyStarted | null {
  if (!(error instanceof RefusedError)) return null;
  const { by, task_id: task } = error.payload ?? {};
  return typeof by === 'string' && typeof task === 'string' ? new AlreadyStarted(by, task, error) : null;
}

/** A request that was refused, or not sent, has started nothing. */
function mayHaveArrived(error: unknown): boolean {
  if (error instanceof RefusedError) return error.status >= 500;
  return !(error instanceof NoResponseError && (error.nothingSent || error.kind === 'tls'));
}

/** Milliseconds of tolerated clock difference between bot and server. */
const SKEW = 30_000;
/** Milliseconds to search for a deploy whose response was lost. */
const LOOK_TIMEOUT = 5000;

/** The unannounced task of a deploy that this Slack user started since; null if none is found. */
export async function startedBy(
  { clients, store }: Pick<Services, 'clients' | 'store'>,
  { user }: Pick<Invoker, 'user'>,
  content: string,
  since: number,
): Promise<string | null> {
  if (clients.service === null) return null;
  const signal = AbortSignal.timeout(LOOK_TIMEOUT);
  for await (const { slackUser, task } of deploysIn(clients.service, since - SKEW, signal, content)) {
    if (task === null || slackUser !== user) continue;
    if ((await store.notices.ofTask(task)).length === 0) return task;
  }
  return null;
}
