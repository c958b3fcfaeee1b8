// Clients of the content server: one per linked person, with that person's rights.
import { type Client, createClient, isMissingEndpoint, VERSION } from '@pressroom/api/client';
import type { Link } from '../store/links.ts';
import type { Store } from '../store/store.ts';

const AGENT = `pressroom-slack/${VERSION}`;

export interface ContentClients extends AsyncDisposable {
  readonly server: string;
  /** The person's own; null for somebody who is not linked. */
  ofLink(team: string, slackUser: string): Promise<{ client: Client; link: Link } | null>;
  /** The bot's own key, an administrator's; null if none is configured. */
  readonly service: Client | null;
  /** For people who are not linked; null if there is none. */
  readonly guest: Client | null;
  /** For slow operations such as screenshots; to be closed. */
  patient(apiKey: string): Client;
  /** To test a key, or to sign in without one. */
  trial(apiKey?: string): Client;
  forget(team: string, slackUser: string): void;
}

export interface ContentClientsOptions {
  readonly server: string;
  readonly serviceKey: string | null;
  readonly guestKey: string | null;
  readonly store: Store;
}

/** Milliseconds: a person waits, and gets a response within ten seconds. */
const TIMEOUTS = { connect: 3000, headers: 7000, body: 7000 };
/** In the background. */
const PATIENT = { connect: 3000, headers: 90_000, body: 30_000 };
const CLIENTS_KEPT = 500;

export function createContentClients(options: ContentClientsOptions): ContentClients {
  const { server, serviceKey, guestKey, store } = options;
  const clients = new Map<string, { key: string; client: Client }>();
  const make = (apiKey: string, userAgent: string, retries = 0) =>
    createClient({ url: server, apiKey, userAgent, timeouts: TIMEOUTS, retries });
  const service = serviceKey === null ? null : make(serviceKey, AGENT, 1);
  const guest = guestKey === null ? null : make(guestKey, AGENT);

  return {
    server,
    service,
    guest,
    async ofLink(team, slackUser) {
      const link = await store.findLink(team, slackUser);
      if (!link) return null;
      const id = `${team}/${slackUser}`;
      let known = clients.get(id);
      if (known?.key !== link.key) {
        if (clients.size >= CLIENTS_KEPT) {
          const [oldest] = clients.keys();
          // Its requests continue: only idle connections are closed.
          if (oldest !== undefined) clients.delete(oldest);
        }
        // The server's audit log names the Slack user.
        const client = make(link.key, `${AGENT} (slack-user ${slackUser})`);
        known = { key: link.key, client: knowing(client, link.server_user) };
        clients.set(id, known);
      }
      return { client: known.client, link };
    },
    patient: (apiKey) =>
      createClient({ url: server, apiKey, userAgent: AGENT, timeouts: PATIENT, retries: 0 }),
    trial: (apiKey) =>
      createClient({
        url: server,
        apiKey,
        userAgent: AGENT,
        timeouts: { connect: 1500, headers: 2000, body: 2000 },
        retries: 0,
      }),
    forget: (team, slackUser) => void clients.delete(`${team}/${slackUser}`),
    async [Symbol.asyncDispose]() {
      const all = [service, guest, ...[...clients.values()].map(({ client }) => client)];
      await Promise.all(all.filter((client) => client !== null).map((client) => client.close()));
    },
  };
}

/** A client that knows whose key it has, on servers that do not say: the contract has no such operation. */
function knowing(client: Client, guid: string): Client {
  const getCurrentUser: Client['getCurrentUser'] = (args, options) =>
    client.getCurrentUser(args, options).catch((error: unknown) => {
      if (isMissingEndpoint(error)) return client.getUser({ guid }, options);
      throw error;
    });
  return { ...client, getCurrentUser };
}
