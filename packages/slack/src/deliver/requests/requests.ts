// Requests for access and roles: people who may decide are asked in direct messages, and the requester is informed
// there.
import type { Services } from '../../services.ts';
import type { RequestKey } from '../../store/requests.ts';
import { DIRECT } from '../transport/direct.ts';
import { outcomeMessage } from './request-message.ts';

/** As reported by the server. */
export interface RequestEvent {
  readonly id: string;
  /** Milliseconds. */
  readonly time: number;
  readonly kind: 'access' | 'role';
  readonly what: 'asked' | 'granted' | 'declined' | 'expired';
  readonly request: string;
  readonly content: { readonly guid: string; readonly title: string; readonly url: string | null } | null;
  /** The requester. */
  readonly requester: { readonly guid: string; readonly name: string };
  readonly message: string | null;
  readonly role: string | null;
  /** Who decided. */
  readonly by: string;
  /** GUIDs of the accounts that may decide. */
  readonly deciders: readonly string[];
}

/** Once per event. */
export async function announceRequest(
  services: Pick<Services, 'store' | 'alerts' | 'languages'>,
  event: RequestEvent,
): Promise<void> {
  const { store, alerts } = services;
  const { id, kind, what, request, content, requester, message, role, by, time } = event;
  const show = (key: RequestKey) =>
    alerts.send({
      id: `request:${id}:${key.team}:${key.slack_user}`,
      team: key.team,
      channel: `${DIRECT}${key.slack_user}`,
      reader: key.slack_user,
      content: content?.guid ?? null,
      message: { request: key },
    });
  if (what === 'asked') {
    for (const guid of event.deciders)
      for (const { team, slack_user } of await store.slackUsersOf(guid)) {
        const about = {
          content: content?.guid ?? null,
          title: content?.title ?? '',
          url: content?.url ?? null,
        };
        const key = { team, slack_user, event: id };
        await store.requests.add({ ...key, ...about, kind, request, who: requester.name, message });
        await show(key);
      }
    return;
  }
  const decision = { state: what, role, decided_by: by, decided_event: id, decided_time: time };
  for (const key of await store.requests.decide({ kind, request }, decision)) await show(key);
  await answerRequester(services, event);
}

async function answerRequester(
  { store, alerts, languages }: Pick<Services, 'store' | 'alerts' | 'languages'>,
  { id, kind, what, content, requester }: RequestEvent,
): Promise<void> {
  if (what === 'asked') return;
  const isGranted = what === 'granted';
  for (const { team, slack_user } of await store.slackUsersOf(requester.guid)) {
    const texts = await languages.ofPerson(team, slack_user);
    const { title = '', url = null } = content ?? {};
    await alerts.send({
      id: `request:${id}:${team}:${slack_user}:asker`,
      team,
      channel: `${DIRECT}${slack_user}`,
      reader: isGranted ? slack_user : null,
      content: isGranted && content !== null ? content.guid : null,
      message: outcomeMessage({ kind, what, title, url }, texts),
    });
  }
}
