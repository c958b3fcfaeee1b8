// Events: mentions, direct messages, opened home tabs, posted links to content, uninstallation. Slack repeats events:
// each is handled once.
import type { App } from '@slack/bolt';
import { askStep } from '../../commands/deploy/step.ts';
import { execute } from '../../commands/execute.ts';
import { publishHome, showPreviews } from '../../home/home.ts';
import type { Removed } from '../install/uninstall.ts';
import type { ListenerContext } from './context.ts';

/** The workspace that installed the app: an event of a channel shared with others may name one of those first. */
function teamOf({
  team_id,
  authorizations,
}: {
  team_id: string;
  authorizations?: readonly { team_id: string | null; enterprise_id?: string | null }[];
}): string {
  return authorizations?.[0]?.team_id ?? team_id;
}

/** Of a message by a person. */
export function placeOf(
  body: Parameters<typeof teamOf>[0] & { is_ext_shared_channel?: boolean },
  by: { readonly user_team?: string; readonly team?: string },
) {
  const team = teamOf(body);
  const own = [team, body.authorizations?.[0]?.enterprise_id ?? null];
  return {
    team,
    isOutsider: body.is_ext_shared_channel === true && !own.includes(by.user_team ?? by.team ?? ''),
  };
}

/** Text before the mention, and others there, is for people. @param bot whose mention it is; undefined for the first */
function textAfterMention(text: string, bot = '[A-Z0-9]+'): string {
  return text.replace(new RegExp(`^[^]*?<@${bot}(\\|[^>]*)?>`), '').trim();
}

/** The organization, if it had installed the app for all its workspaces, or the workspace. */
function removedBy(body: {
  team_id: string;
  enterprise_id?: string;
  authorizations?: readonly { team_id: string | null; is_enterprise_install?: boolean }[];
  event_time: number;
}): Removed {
  const isOrganization = body.authorizations?.[0]?.is_enterprise_install === true;
  return {
    team: teamOf(body),
    enterprise: isOrganization ? (body.enterprise_id ?? null) : null,
    time: body.event_time * 1000,
  };
}

export function listenToEvents(app: App, { services, queue, take, uninstall }: ListenerContext): void {
  app.event('app_uninstalled', async ({ body }) => {
    queue.add(() => uninstall(removedBy(body)));
  });
  app.event('tokens_revoked', async ({ event, body }) => {
    if ((event.tokens.bot ?? []).length === 0) return;
    queue.add(() => uninstall(removedBy(body)));
  });

  // An organization takes the app away from some of its workspaces.
  app.event('team_access_revoked', async ({ event, body }) => {
    const time = body.event_time * 1000;
    for (const team of event.team_ids) queue.add(() => uninstall({ team, enterprise: null, time }));
  });

  app.event('app_mention', async ({ event, body }) => {
    if (event.user === undefined || !(await services.store.firstSight(body.event_id))) return;
    const { user, channel, thread_ts: thread } = event;
    const line = textAfterMention(event.text, body.authorizations?.[0]?.user_id);
    const invoker = { ...placeOf(body, event), user, name: user, channel, thread };
    take(invoker, null, () => execute(services, { line, invoker, responseUrl: null }));
  });

  app.event('message', async ({ event, body }) => {
    // Only direct messages by people: no edits, no messages of bots.
    if (event.channel_type !== 'im' || event.subtype !== undefined || event.bot_id !== undefined) return;
    if (!(await services.store.firstSight(body.event_id))) return;
    const { user, channel, thread_ts: thread, text = '' } = event;
    const invoker = { ...placeOf(body, event), user, name: user, channel, thread };
    const line = text.replace(/^\s*(<@[A-Z0-9]+>|\/\S+)\s*/, '');
    take(invoker, null, () => execute(services, { line, invoker, responseUrl: null }));
  });

  // A workflow step.
  app.event('function_executed', async ({ event, body }) => {
    if (event.function.callback_id !== 'deploy' || !(await services.store.firstSight(body.event_id))) return;
    const { function_execution_id: execution, inputs } = event;
    queue.add(() => askStep(services, { team: teamOf(body), execution, inputs }));
  });

  app.event('app_home_opened', async ({ event, body }) => {
    if (event.tab !== 'home' || !(await services.store.firstSight(body.event_id))) return;
    const invoker = { team: teamOf(body), user: event.user, name: event.user, channel: event.channel };
    if (!queue.isFull(invoker)) queue.add(() => publishHome(services, invoker), invoker);
  });

  app.event('link_shared', async ({ event, body }) => {
    if (!(await services.store.firstSight(body.event_id))) return;
    const invoker = { team: teamOf(body), user: event.user, name: event.user, channel: event.channel };
    const { channel, message_ts: ts, links } = event;
    const shared = {
      channel,
      ts,
      links: links.map(({ url }) => url),
      hasOutsiders: body.is_ext_shared_channel === true,
    };
    if (!queue.isFull(invoker)) queue.add(() => showPreviews(services, invoker, shared), invoker);
  });
}
