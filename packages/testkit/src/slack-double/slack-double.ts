// A Slack workspace for tests and the demo: people type and click, the app answers, limits are enforced.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeliverer, type Ack } from './deliver.ts';
import { createHandler, type Faults, type Handler } from './http.ts';
import { createPayloads, type EventOptions } from './payloads.ts';
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
  event(event: Loose, id?: string, more?: EventOptions): Promise<Ack>;
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

  const payloads = createPayloads(
    space,
    (channel, user, original) => `${url}/response/${handler.openResponse({ channel, user, original })}`,
  );

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
    command: (user, channel, text) =>
      deliverer.send({ type: 'slash_commands', payload: payloads.command(user, channel, text) }),
    click: (user, on, action, selected) =>
      deliverer.send({ type: 'interactive', payload: payloads.click(user, on, action, selected) }),
    shortcut: (user, on, callback) =>
      deliverer.send({ type: 'interactive', payload: payloads.shortcut(user, on, callback) }),
    async submit(user, values) {
      const modal = space.modals.findLast((item) => item.user === user.id);
      if (!modal) throw new Error(`${user.name} has no modal open`);
      const payload = payloads.submit(user, modal, values);
      const ack = await deliverer.send({ type: 'interactive', payload });
      const action = (ack.body as { response_action?: string } | undefined)?.response_action;
      if (ack.status === 200 && action === undefined) space.modals.splice(space.modals.indexOf(modal), 1);
      space.changed();
      return ack;
    },
    event: (event, id = randomUUID(), more = {}) =>
      deliverer.send({ type: 'events_api', payload: payloads.event(event, id, more) }),
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
