// Visits whose process is on another server, and visits forwarded to this one.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Cluster, Member } from '../cluster/cluster.ts';
import type { Calls } from '../cluster/listen-for-servers.ts';
import { nodeOfProcess, nodesOfBundle } from '../cluster/store.ts';
import { PROCESS_COOKIE } from '../http/cookie-names.ts';
import { readCookie } from '../http/read-cookie.ts';
import type { Database } from '../platform/database/storage.ts';
import { createRecent } from '../platform/recent.ts';
import { before } from '../platform/text.ts';
import { type Destination, forwardVisit, forwardVisitSocket } from './forward-visit.ts';
import type { ForwardedVisit } from './forwarded-visit.ts';
import { asksForPage, SHINY_SOCKET, TOKEN_PATH } from './proxy/application-proxy.ts';
import type { ShinySockets } from './proxy/shiny-sockets.ts';
import type { Visit } from './proxy/visit.ts';
import { hasPages } from './starting-page.ts';

/** What another server must know of a visit in addition. */
export type Forwarding = Pick<ForwardedVisit, 'version' | 'credentials'>;

export interface OtherServers {
  /** Answers a visit through another server; false if it belongs here. @throws Unavailable, ApiError */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
    forwarding: Forwarding,
  ): Promise<boolean>;
  /** Answers a visit without a free place here through any server with one; false if there is none. */
  share(
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
    forwarding: Forwarding,
  ): Promise<boolean>;
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    visit: Visit,
    forwarding: Forwarding,
  ): Promise<boolean>;
}

interface Found extends Destination {
  readonly process: string | null;
}

/** The call that finds the process of a Shiny session. */
export const FIND_SESSION = 'session';
/** Shiny's session tokens in R and in Python. */
const TOKEN = /^[0-9a-f]{16,128}$/;
/** Limits what visitors can make the server remember. */
const PROCESS_KEY = /^[A-Za-z0-9]{16}$/;
/** Milliseconds that the location of a process, or its absence, is cached. A wrong one is detected when used. */
const PROCESS_KEPT_MS = 5000;
const BUNDLE_KEPT_MS = 1000;
const KEPT = 10_000;
/** Milliseconds for a server to say whether it has a session. */
const FIND_MS = 2000;

export function createOtherServers(cluster: Cluster, db: Database, sockets: ShinySockets): OtherServers {
  const processes = createRecent<{ node: string | null }>(KEPT, { ttl: PROCESS_KEPT_MS });
  const bundles = createRecent<{ nodes: readonly string[] }>(KEPT, { ttl: BUNDLE_KEPT_MS });
  const tokens = createRecent<{ node: string; process: string }>(KEPT);

  async function serverOfProcess(contentGuid: string, key: string): Promise<Member | null> {
    const id = `${contentGuid} ${key}`;
    let found = processes.get(id);
    if (!found) processes.set(id, (found = { node: await nodeOfProcess(db, contentGuid, key) }));
    return found.node === null ? null : cluster.member(found.node);
  }

  /** Where processes of the visited bundle run or start, if not here. */
  async function serverOfBundle({ contentGuid, bundleId }: Visit): Promise<Member | null> {
    const id = `${contentGuid} ${bundleId}`;
    let found = bundles.get(id);
    if (!found) bundles.set(id, (found = { nodes: await nodesOfBundle(db, contentGuid, bundleId) }));
    for (const node of found.nodes) {
      const member = await cluster.member(node);
      if (member) return member;
    }
    return null;
  }

  /** The server with the session in a path; null if it is here, or nowhere. */
  async function serverOfToken(token: string): Promise<Found | null> {
    if (!TOKEN.test(token) || sockets.processOf(token) !== undefined) return null;
    const known = tokens.get(token);
    const member = known && (await cluster.member(known.node));
    if (member) return { member, process: known.process, isOnly: true };
    const others = await cluster.others();
    const responses = await Promise.all(
      others.map(async (one) => {
        const process = await cluster
          .call(one, FIND_SESSION, { token }, AbortSignal.timeout(FIND_MS))
          .catch(() => null);
        return typeof process === 'string' ? { member: one, process, isOnly: true } : null;
      }),
    );
    const found = responses.find((upstream) => upstream !== null) ?? null;
    if (found) tokens.set(token, { node: found.member.node, process: found.process });
    return found;
  }

  async function find(request: IncomingMessage, visit: Visit, isSocket: boolean): Promise<Found | null> {
    const { engine, pool, path, contentGuid } = visit;
    if (!hasPages(engine)) return (await mustShare(visit)) ? besideOthers(visit) : null;
    const [pathname = '', query = ''] = path.split('?', 2);
    const isSession = engine.sessions && isSocket && SHINY_SOCKET.test(pathname);
    if (isSession) {
      const id = new URLSearchParams(query).get('pressroom-session');
      if (id !== null && id !== 'new') {
        const member = await cluster.member(sockets.nodeOf(id) ?? '');
        return member && { member, process: null, isOnly: true };
      }
    }
    const token = engine.sessions ? TOKEN_PATH.exec(before(path, '?'))?.[1] : undefined;
    const owner = token === undefined ? null : await serverOfToken(token);
    if (owner || token !== undefined) return owner;
    // The process of the visitor's page: its socket and files go there, and everything else if processes keep state of
    // visitors.
    const isNew = engine.sessions && !isSession && asksForPage(request);
    const key = isNew ? null : readCookie(request.headers.cookie, PROCESS_COOKIE);
    if (key !== null && PROCESS_KEY.test(key)) {
      if (pool.has(key)) return null;
      const member = await serverOfProcess(contentGuid, key);
      if (member) return { member, process: key, isOnly: false };
    }
    // Rather than starting one here while another server has some.
    return pool.processes === 0 || (await mustShare(visit)) ? besideOthers(visit) : null;
  }

  /** Whether the processes here are full, and no other may start: other servers must take the visit. */
  async function mustShare({ pool, mayStart }: Visit): Promise<boolean> {
    return !pool.hasRoom && !(await mayStart());
  }

  async function besideOthers(visit: Visit): Promise<Found | null> {
    const member = await serverOfBundle(visit);
    return member && { member, process: null, isOnly: false };
  }

  const forwardedOf = (
    visit: Visit,
    { version, credentials }: Forwarding,
    process: string | null,
  ): ForwardedVisit => ({
    content: visit.contentGuid,
    version,
    credentials,
    process,
    url: visit.url,
    isAlone: visit.isAlone,
    policy: visit.policy,
    remoteAddress: visit.remoteAddress,
    path: visit.path,
  });

  return {
    async handle(request, response, visit, forwarding) {
      const found = await find(request, visit, false);
      if (!found) return false;
      return forwardVisit(cluster, request, response, found, forwardedOf(visit, forwarding, found.process));
    },
    async share(request, response, visit, forwarding) {
      bundles.delete(`${visit.contentGuid} ${visit.bundleId}`);
      const found = await besideOthers(visit);
      if (!found) return false;
      return forwardVisit(cluster, request, response, found, forwardedOf(visit, forwarding, null));
    },
    async upgrade(request, socket, head, visit, forwarding) {
      const found = await find(request, visit, true);
      if (!found) return false;
      return forwardVisitSocket(
        cluster,
        request,
        socket as Socket,
        head,
        found,
        forwardedOf(visit, forwarding, found.process),
      );
    },
  };
}

/** Answers other servers that look for a session. */
export function sessionCalls(sockets: ShinySockets): Calls {
  return {
    [FIND_SESSION]: ({ token }) => Promise.resolve(sockets.processOf(String(token)) ?? null),
  };
}
