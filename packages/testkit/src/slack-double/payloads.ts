// What Slack sends an app about what people do: payloads of commands, clicks, shortcuts, modals and events.
import { randomUUID } from 'node:crypto';
import type { DoubleMessage, DoubleUser, DoubleView, Loose, Workspace } from './workspace.ts';

export interface EventOptions {
  /** When it happened, in seconds. */
  readonly time?: number;
  /** The organization, if the app is installed for all of it. */
  readonly enterprise?: string;
  /** Whether the channel is shared with another organization. */
  readonly shared?: boolean;
}

const APP = 'A0DOUBLE';
const DOMAIN = 'double';

/** @param responseUrl opens an address for messages of the app, about `original` or a new one */
export function createPayloads(
  space: Workspace,
  responseUrl: (channel: string, user: string, original: DoubleMessage | null) => string,
) {
  const newTrigger = (user: string) => {
    const id = randomUUID();
    space.triggers.set(id, { user, time: Date.now() });
    return id;
  };
  const teamOf = ({ team = space.team }: DoubleUser) => team;
  const person = (user: DoubleUser) => ({
    id: user.id,
    name: user.name,
    username: user.name,
    team_id: teamOf(user),
  });
  const channelOf = ({ channel }: DoubleMessage) => ({ id: channel, name: space.channels.get(channel) });
  /** What all interactions have. */
  const interaction = (user: DoubleUser, team = space.team) => ({
    team: { id: team, domain: DOMAIN },
    user: person(user),
    api_app_id: APP,
    trigger_id: newTrigger(user.id),
  });

  function clickInMessage(user: DoubleUser, message: DoubleMessage): Loose {
    return {
      channel: channelOf(message),
      container: {
        type: 'message',
        message_ts: message.ts,
        channel_id: message.channel,
        is_ephemeral: message.only !== undefined,
      },
      response_url: responseUrl(message.channel, user.id, message),
      // Slack omits ephemeral messages.
      ...(message.only === undefined && {
        message: { ts: message.ts, text: message.text, blocks: message.blocks },
      }),
    };
  }

  return {
    command: (user: DoubleUser, channel: string, text: string): Loose => ({
      token: 'legacy',
      team_id: space.team,
      team_domain: DOMAIN,
      channel_id: channel,
      channel_name: space.channels.get(channel) ?? '',
      user_id: user.id,
      user_name: user.name,
      command: '/pressroom',
      text,
      api_app_id: APP,
      response_url: responseUrl(channel, user.id, null),
      trigger_id: newTrigger(user.id),
    }),
    click(user: DoubleUser, on: DoubleMessage | 'home', action: string, selected?: string): Loose {
      const home = on === 'home' ? space.homes.get(user.id) : undefined;
      const blocks = on === 'home' ? ((home?.['blocks'] ?? []) as Loose[]) : on.blocks;
      const { block, element } = findElement(blocks, action);
      const option = selected === undefined ? undefined : { selected_option: { value: selected } };
      return {
        type: 'block_actions',
        ...interaction(user),
        ...(on !== 'home' && clickInMessage(user, on)),
        ...(home && { view: { ...home, id: 'V0HOME' }, container: { type: 'view', view_id: 'V0HOME' } }),
        actions: [
          {
            ...element,
            ...option,
            block_id: block['block_id'] ?? 'b',
            action_ts: String(Date.now() / 1000),
          },
        ],
      };
    },
    shortcut: (user: DoubleUser, on: DoubleMessage, callback: string): Loose => ({
      type: 'message_action',
      callback_id: callback,
      ...interaction(user),
      channel: channelOf(on),
      message_ts: on.ts,
      message: { type: 'message', ts: on.ts, text: on.text, blocks: on.blocks, metadata: on.metadata },
      response_url: responseUrl(on.channel, user.id, null),
    }),
    submit(user: DoubleUser, modal: DoubleView, values: Record<string, Record<string, string>>): Loose {
      const stateOf = (actions: Record<string, string>) =>
        Object.fromEntries(
          Object.entries(actions).map(([key, value]) => [key, { type: 'plain_text_input', value }]),
        );
      return {
        type: 'view_submission',
        // The other workspace, for its people.
        ...interaction(user, teamOf(user)),
        view: {
          ...modal.view,
          id: modal.id,
          team_id: teamOf(user),
          app_installed_team_id: space.team,
          state: {
            values: Object.fromEntries(
              Object.entries(values).map(([block, actions]) => [block, stateOf(actions)]),
            ),
          },
        },
      };
    },
    event: (
      event: Loose,
      id: string,
      { time = Math.floor(Date.now() / 1000), enterprise, shared = false }: EventOptions,
    ): Loose => ({
      type: 'event_callback',
      team_id: teamOf(space.users.get(String(event['user'])) ?? { id: '', name: '', email: '' }),
      api_app_id: APP,
      event_id: id,
      event_time: time,
      is_ext_shared_channel: shared,
      authorizations: [
        {
          enterprise_id: enterprise ?? null,
          team_id: space.team,
          user_id: space.bot,
          is_bot: true,
          is_enterprise_install: enterprise !== undefined,
        },
      ],
      ...(enterprise !== undefined && { enterprise_id: enterprise }),
      event,
    }),
  };
}

function findElement(blocks: readonly Loose[], action: string): { block: Loose; element: Loose } {
  for (const block of blocks) {
    const elements = [...((block['elements'] ?? []) as Loose[]), (block['accessory'] ?? {}) as Loose];
    const element = elements.find((item) => item['action_id'] === action);
    if (element) return { block, element };
  }
  throw new Error(`there is nothing to press named ${action} in ${JSON.stringify(blocks)}`);
}
