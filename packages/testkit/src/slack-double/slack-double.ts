// A Slack workspace for tests and the demo: people type and click, the app answers, limits are enforced.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeliverer, type Ack } from './deliver.ts';
import { createHandler, type Faults, type Handler } from './http.ts';
import type { DoubleMessage, DoubleUser, Loose, Workspace } from './workspace.ts';
import { createWorkspace } from './workspace.ts';

export interface SlackDoubleOptions {
  readonly port?: number;
  /** Whether rate limits are enforced; true by default. */
  readonly rates?: boolean;
  /** Whether native charts are accepted; true by default. */
  readonly charts?: boolean;
  /** Whether plans are accepted; true by default. */
  readonly plans?: boolean;
}

export interface SlackDouble extends AsyncDisposable {
  readonly url: string;
  /** For `slackApiUrl`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly space: Workspace;
  readonly faults: Faults;
  readonly sockets: number;
  /** Where the app receives HTTP requests, such as `http://127.0.0.1:3000/slack/events`. */
  connect(requestUrl: string): void;
  refreshSockets(): void;
  user(name: string, email?: string): DoubleUser;
  channel(name: string): string;
  /** Types `/pressroom text`. */
  command(user: DoubleUser, channel: string, text: string): Promise<Ack>;
  /** Presses a button or chooses an option in a message or home tab. */
  click(user: DoubleUser, on: DoubleMessage | 'home', action: string, selected?: string): Promise<Ack>;
  /** Chooses a shortcut in the menu of a message. */
  shortcut(user: DoubleUser, on: DoubleMessage, callback: string): Promise<Ack>;
  /** Submits the newest modal of a person. @param values by block and action. */
  submit(user: DoubleUser, values: Record<string, Record<string, string>>): Promise<Ack>;
  /** @param more when it happened, in seconds, and the organization, if installed for all of it */
  event(event: Loose, id?: string, more?: { time?: number; enterprise?: string }): Promise<Ack>;
  /** Ephemeral messages of a person in a channel, newest last. */
  whispers(user: DoubleUser, channel: string): DoubleMessage[];
  /** Messages of a channel, without threads. */
  inChannel(channel: string): DoubleMessage[];
  thread(channel: string, ts: string): DoubleMessage[];
  /** Answers requests that are not Slack's: the demo's pages. */
  serve(pages: NonNullable<Handler['also']>): void;
  /** Resolves with the first value other than undefined, null or false; evaluated after every change. */
  until<T>(look: () => T | undefined | null | false, milliseconds?: number): Promise<T>;
}

const WAIT = 30_000;

export async function startSlackDouble(options: SlackDoubleOptions = {}): Promise<SlackDouble> {
  const space = createWorkspace();
  const botToken = 'xoxb-double-bot';
  const appToken = 'xapp-double-app';
  const signingSecret = 'double-signing-secret';
  const faults: Faults = {
    down: false,
    slow: 0,
    busy: 0,
    deaf: 0,
    outside: false,
    charts: options.charts ?? true,
    plans: options.plans ?? true,
    words: {},
    responses: [],
    closed: new Set(),
    archived: new Set(),
  };
  const server = createServer();
  const deliverer = createDeliverer(server, signingSecret, space.changed);
  let url = '';
  const handler = createHandler({
    space,
    faults,
    rates: options.rates ?? true,
    tokens: [botToken, appToken],
    base: () => url,
    socketUrl: () => deliverer.socketUrl(url),
  });
  server.on('request', (request, response) => void handler(request, response));
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const newTrigger = (user: string) => {
    const id = randomUUID();
    space.triggers.set(id, { user, time: Date.now() });
    return id;
  };
  const responseUrl = (channel: string, user: string, original: DoubleMessage | null) =>
    `${url}/response/${handler.openResponse({ channel, user, original })}`;
  const teamOf = ({ team = space.team }: DoubleUser) => team;
  const person = (user: DoubleUser) => ({
    id: user.id,
    name: user.name,
    username: user.name,
    team_id: teamOf(user),
  });

  return {
    url,
    apiUrl: `${url}/api/`,
    botToken,
    appToken,
    signingSecret,
    space,
    faults,
    get sockets() {
      return deliverer.sockets;
    },
    connect(requestUrl) {
      deliverer.requestUrl = requestUrl;
    },
    refreshSockets: () => deliverer.refreshSockets(),
    user(name, email = `${name}@example.com`) {
      const user = { id: space.nextId('U'), name, email };
      space.users.set(user.id, user);
      return user;
    },
    channel(name) {
      const id = space.nextId('C');
      space.channels.set(id, name);
      return id;
    },
    command(user, channel, text) {
      const payload = {
        token: 'legacy',
        team_id: space.team,
        team_domain: 'double',
        channel_id: channel,
        channel_name: space.channels.get(channel) ?? '',
        user_id: user.id,
        user_name: user.name,
        command: '/pressroom',
        text,
        api_app_id: 'A0DOUBLE',
        response_url: responseUrl(channel, user.id, null),
        trigger_id: newTrigger(user.id),
      };
      return deliverer.send({ type: 'slash_commands', payload });
    },
    click(user, on, action, selected) {
      const home = on === 'home' ? space.homes.get(user.id) : null;
      const blocks = on === 'home' ? ((home?.['blocks'] ?? []) as Loose[]) : on.blocks;
      const { block, element } = findElement(blocks, action);
      const option = selected === undefined ? undefined : { selected_option: { value: selected } };
      const message = on === 'home' ? null : on;
      const payload = {
        type: 'block_actions',
        team: { id: space.team, domain: 'double' },
        user: person(user),
        api_app_id: 'A0DOUBLE',
        trigger_id: newTrigger(user.id),
        ...(message && {
          channel: { id: message.channel, name: space.channels.get(message.channel) },
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
        }),
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
      return deliverer.send({ type: 'interactive', payload });
    },
    shortcut: (user, on, callback) =>
      deliverer.send({
        type: 'interactive',
        payload: {
          type: 'message_action',
          callback_id: callback,
          team: { id: space.team, domain: 'double' },
          user: person(user),
          api_app_id: 'A0DOUBLE',
          trigger_id: newTrigger(user.id),
          channel: { id: on.channel, name: space.channels.get(on.channel) },
          message_ts: on.ts,
          message: { type: 'message', ts: on.ts, text: on.text, blocks: on.blocks, metadata: on.metadata },
          response_url: responseUrl(on.channel, user.id, null),
        },
      }),
    async submit(user, values) {
      const modal = space.modals.findLast((item) => item.user === user.id);
      if (!modal) throw new Error(`${user.name} has no modal open`);
      const state = Object.fromEntries(
        Object.entries(values).map(([block, actions]) => [
          block,
          Object.fromEntries(
            Object.entries(actions).map(([key, value]) => [key, { type: 'plain_text_input', value }]),
          ),
        ]),
      );
      const payload = {
        type: 'view_submission',
        // The other workspace, for its people.
        team: { id: teamOf(user), domain: 'double' },
        user: person(user),
        api_app_id: 'A0DOUBLE',
        trigger_id: newTrigger(user.id),
        view: {
          ...modal.view,
          id: modal.id,
          team_id: teamOf(user),
          app_installed_team_id: space.team,
          state: { values: state },
        },
      };
      const ack = await deliverer.send({ type: 'interactive', payload });
      const action = (ack.body as { response_action?: string } | undefined)?.response_action;
      if (ack.status === 200 && action === undefined) space.modals.splice(space.modals.indexOf(modal), 1);
      space.changed();
      return ack;
    },
    event: (event, id = randomUUID(), { time = Math.floor(Date.now() / 1000), enterprise } = {}) =>
      deliverer.send({
        type: 'events_api',
        payload: {
          type: 'event_callback',
          team_id: teamOf(space.users.get(String(event['user'])) ?? { id: '', name: '', email: '' }),
          api_app_id: 'A0DOUBLE',
          event_id: id,
          event_time: time,
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
        },
      }),
    whispers: (user, channel) =>
      space.messages.filter((message) => message.channel === channel && message.only === user.id),
    inChannel: (channel) =>
      space.messages.filter((message) => message.channel === channel && !message.only && !message.thread_ts),
    thread: (channel, ts) =>
      space.messages.filter(
        (message) => message.channel === channel && message.thread_ts === ts && !message.only,
      ),
    serve(pages) {
      handler.also = pages;
    },
    async until(look, milliseconds = WAIT) {
      const { promise, resolve, reject } = Promise.withResolvers<NonNullable<ReturnType<typeof look>>>();
      const timer = setTimeout(
        () => reject(new Error(`it did not come to pass: ${String(look)}`)),
        milliseconds,
      );
      const check = () => {
        const value = look();
        if (value !== undefined && value !== null && value !== false) resolve(value as never);
      };
      const off = space.onChange(check);
      check();
      try {
        return await (promise as Promise<never>);
      } finally {
        clearTimeout(timer);
        off();
      }
    },
    async [Symbol.asyncDispose]() {
      deliverer.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
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
