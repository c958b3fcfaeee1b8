// Sends generated requests over the whole contract to a test server and holds its answers to what the contract says of all.
import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { type Endpoint, ERRORS, isErrorCode } from '@pressroom/api/contract';
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { Ref, requests, type CallerName, type GeneratedRequest, type Pool } from './request-arbitraries.ts';

export interface GeneratedReport {
  readonly seed: number;
  sent: number;
  succeeded: number;
  refused: number;
  /** Requests cut off by the sender that the server closed without a word. */
  unanswered: number;
  /** Times the tables were compared before and after requests that were all refused. */
  compared: number;
  /** Operations that succeeded at least once, and codes seen. */
  operations: number;
  codes: string;
}

/** Requests to one server before the next one starts with empty tables. */
const PER_SERVER = 10_000;
const CHUNK = 25;
const MAX_FAULTS = 20;

interface Received {
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
}

/** @throws Error listing what did not hold, with the seed that generates it again. */
export async function generatedRequests(count: number, seed: number): Promise<GeneratedReport> {
  const report = { seed, sent: 0, succeeded: 0, refused: 0, unanswered: 0, compared: 0 };
  const seen = { operations: new Set<string>(), codes: new Set<number>(), faults: [] as string[] };
  for (let done = 0; done < count; done += PER_SERVER) {
    await oneServer(Math.min(PER_SERVER, count - done), seed + done, report, seen);
    if (seen.faults.length >= MAX_FAULTS) break;
  }
  if (seen.faults.length > 0)
    throw new Error(`seed ${seed}, ${report.sent} sent:\n${seen.faults.join('\n')}`);
  const codes = [...seen.codes].sort((a, b) => a - b).join(' ');
  return { ...report, operations: seen.operations.size, codes };
}

type Counts = Omit<GeneratedReport, 'operations' | 'codes'>;
interface Seen {
  readonly operations: Set<string>;
  readonly codes: Set<number>;
  readonly faults: string[];
}

async function oneServer(count: number, seed: number, report: Counts, seen: Seen): Promise<void> {
  await using server = await startTestServer();
  const world = await populate(server);
  const chunks = Math.ceil(count / CHUNK);
  const sample = (kinds: Parameters<typeof requests>[0], salt: number) =>
    fc.sample(requests(kinds), { numRuns: Math.ceil(chunks / 2) * CHUNK, seed: seed + salt });
  const mixed = sample(['valid', 'valid', 'near', 'hostile'], 1);
  const refusable = sample(['near', 'hostile'], 2);
  for (let chunk = 0; chunk < chunks && seen.faults.length < MAX_FAULTS; chunk += 1) {
    const quiet = chunk % 2 === 1;
    const from = Math.floor(chunk / 2) * CHUNK;
    const batch = (quiet ? refusable : mixed).slice(from, from + CHUNK);
    const before = quiet ? await dump(server, world) : [];
    const changed = await Promise.all(batch.map((request) => send(world, request, report, seen)));
    if (!quiet || changed.includes(true)) continue;
    report.compared += 1;
    const after = await dump(server, world);
    const touched = TABLES.filter((_, i) => after[i] !== before[i]);
    if (touched.length > 0) {
      seen.faults.push(
        `refused requests changed ${touched.join(', ')}: ${batch.map((one) => describe(one)).join(' | ')}`,
      );
    }
  }
  world.agent.destroy();
}

interface World {
  readonly url: string;
  readonly agent: Agent;
  readonly headers: Readonly<Record<CallerName, string | null>>;
  readonly administrator: Person;
  readonly pools: Readonly<Record<Pool, string[]>>;
}

async function populate(server: TestServer): Promise<World> {
  const administrator = await server.administrator();
  const [viewer, publisher, stranger] = [
    await server.person('viewer'),
    await server.person('publisher'),
    await server.person('publisher'),
  ];
  // People that requests may lock and change are not those who send them.
  const others = [await server.person('viewer'), await server.person('publisher')];
  const key = (person: Person) => `Key ${person.key}`;
  return {
    url: server.url,
    agent: new Agent({ keepAlive: true, maxSockets: CHUNK }),
    administrator,
    headers: {
      nobody: null,
      nonsense: 'Key nonsense',
      viewer: key(viewer),
      publisher: key(publisher),
      stranger: key(stranger),
      administrator: key(administrator),
    },
    pools: {
      user: others.map((person) => person.guid),
      content: [],
      bundle: [],
      task: [],
      group: [],
      key: [],
      permission: [],
    },
  };
}

/** Answers whether the request may have changed something; adds to the faults what does not hold. */
async function send(world: World, request: GeneratedRequest, report: Counts, seen: Seen): Promise<boolean> {
  report.sent += 1;
  const { operation } = request;
  const response = await exchange(world, request);
  const fault = (what: string) => seen.faults.push(`${what}: ${describe(request)}`);
  if (typeof response === 'string') {
    if (request.transport === 'cut') report.unanswered += 1;
    else fault(`no response (${response})`);
    return false;
  }
  if (response.status >= 400) {
    report.refused += 1;
    const wrong = refusalFault(response, seen.codes);
    if (wrong) fault(wrong);
    return false;
  }
  report.succeeded += 1;
  seen.operations.add(operation.operationId);
  const wrong = successFault(operation, response);
  if (wrong) fault(wrong);
  else remember(world, operation, response);
  // A download is a GET, but one that the audit log tells of.
  return operation.method !== 'GET' || operation.response === 'archive' || operation.response === 'tar';
}

function refusalFault({ status, bytes }: Received, codes: Set<number>): string | null {
  const text = bytes.toString().slice(0, 300);
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(bytes.toString()) as Record<string, unknown>;
  } catch {
    return `${status} without JSON: ${text}`;
  }
  const code = Number(body.code);
  codes.add(code);
  if (Object.keys(body).join() !== 'code,error,payload') return `no APIError: ${text}`;
  if (!isErrorCode(code) || code === 1 || status >= 500) return `${status}: ${text}`;
  return ERRORS[code].status === status ? null : `status ${status} does not fit: ${text}`;
}

const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
const validators = new Map<string, ValidateFunction>();

function successFault({ operationId, response, status }: Endpoint, given: Received): string | null {
  const isEmpty = response === 'empty' || (response === 'file' && given.status === 204);
  if (given.status !== status && !isEmpty) return `status ${given.status} for ${status}`;
  if (isEmpty) return given.bytes.length === 0 ? null : 'a body where none belongs';
  if (response === 'tar') return given.type === 'application/x-tar' ? null : `a backup as ${given.type}`;
  if (response === 'archive') return given.type === 'application/gzip' ? null : `an archive as ${given.type}`;
  if (response === 'file') return given.type.startsWith('image/') ? null : `a file as ${given.type}`;
  let validate = validators.get(operationId);
  if (!validate) {
    validate = ajv.compile(response);
    validators.set(operationId, validate);
  }
  if (validate(JSON.parse(given.bytes.toString()))) return null;
  return `answer against its schema: ${ajv.errorsText(validate.errors)}: ${given.bytes.toString().slice(0, 300)}`;
}

/** Takes up the ids of what was made, so that later requests can name them. */
function remember({ pools }: World, { operationId }: Endpoint, { bytes }: Received): void {
  const made = MADE[operationId.replace(/Ga$/, '')];
  if (!made) return;
  const body = JSON.parse(bytes.toString()) as Record<string, string>;
  const id = body[made[1]] ?? body.id;
  if (id !== undefined) pools[made[0]].push(id);
}

const MADE: Readonly<Record<string, readonly [Pool, string]>> = {
  createContent: ['content', 'guid'],
  uploadContentBundle: ['bundle', 'bundle_id'],
  deployContentBundle: ['task', 'task_id'],
  createGroup: ['group', 'guid'],
  createPushUser: ['user', 'guid'],
  createApiKey: ['key', 'id'],
  addPermission: ['permission', 'id'],
};

function exchange(world: World, request: GeneratedRequest): Promise<Received | string> {
  const { operation, transport, contentType, checksum, caller } = request;
  const body = payloadOf(world, request);
  const { hostname, port } = new URL(world.url);
  const cut = transport === 'cut' && body !== undefined;
  const authorization = world.headers[caller];
  const headers = {
    ...(authorization !== null && { Authorization: authorization }),
    ...(contentType !== null && { 'Content-Type': contentType }),
    ...(checksum !== null && { 'X-Content-Checksum': checksum }),
    ...(body !== undefined &&
      (transport === 'chunked'
        ? { 'Transfer-Encoding': 'chunked' }
        : { 'Content-Length': body.length + (cut ? 7 : 0) })),
  };
  return new Promise((resolve) => {
    const options = { hostname, port, method: operation.method, path: pathOf(world, request), headers };
    const sent = httpRequest({ ...options, agent: cut ? false : world.agent });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', (error) => resolve(error.message));
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          type: response.headers['content-type'] ?? '',
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    if (!cut) {
      sent.end(body);
      return;
    }
    sent.on('socket', (socket) =>
      socket.on('connect', () => {
        sent.flushHeaders();
        socket.end(body);
      }),
    );
  });
}

function pathOf(world: World, { operation, params, query }: GeneratedRequest): string {
  const text = (value: string | Ref) => (value instanceof Ref ? idOf(world, value) : value);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => text(params[name]!));
  const pairs = query.map(([name, value]) => `${name}=${text(value)}`).join('&');
  return `/__api__${path}${pairs === '' ? '' : `?${pairs}`}`;
}

function idOf({ pools }: World, { pool, index }: Ref): string {
  const ids = pools[pool];
  // Mostly what was made lately: the rest may be deleted by now.
  return ids.length > 0
    ? ids.at(-1 - (index % Math.min(ids.length, 8)))!
    : pool === 'bundle'
      ? '1'
      : randomUUID();
}

function payloadOf(world: World, { body }: GeneratedRequest): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(
    JSON.stringify(body, (_, value: unknown) => (value instanceof Ref ? idOf(world, value) : value)),
  );
}

function describe({ operation, caller, params, query, body, transport }: GeneratedRequest): string {
  const shown = Buffer.isBuffer(body)
    ? `${body.length} bytes`
    : (JSON.stringify(body) ?? 'none').slice(0, 200);
  const rest = JSON.stringify([params, query]).slice(0, 300);
  return `${operation.operationId} by ${caller}, ${rest}, ${transport}, body ${shown}`;
}

/** Columns that only say when somebody was last seen. */
const ACTIVITY = new Set(['active_time', 'last_used_time']);
const TABLES = [
  'user_account',
  'api_key',
  'session',
  'password_link',
  'totp',
  'passkey',
  'user_group',
  'group_member',
  'content',
  'permission',
  'environment',
  'vanity',
  'bundle',
  'task',
  'audit_log',
  'visit',
  'app_session',
] as const;

/** What each table holds once running deploys are done; the audit log, which only grows, by its length. */
async function dump({ running }: TestServer, { administrator }: World): Promise<string[]> {
  const { db } = running.services.storage;
  const open = await db.selectFrom('task').select('id').where('finished', '=', 0).execute();
  for (const { id } of open) await administrator.call('GET', `/v1/tasks/${id}?wait=20`);
  const rows: unknown[] = [];
  for (const table of TABLES) {
    if (table === 'audit_log') {
      // That a right was refused is all that a refusal may leave.
      const counted = db.selectFrom(table).select((eb) => eb.fn.countAll().as('n'));
      rows.push(await counted.where('action', '!=', 'refuse').execute());
    } else if (table === 'task') {
      rows.push(
        await db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('n'))
          .execute(),
      );
    } else rows.push(await db.selectFrom(table).selectAll().execute());
  }
  return rows.map((table) =>
    JSON.stringify(table, (name, value: unknown) => (ACTIVITY.has(name) ? undefined : value)),
  );
}
