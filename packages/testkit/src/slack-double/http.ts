// The double's HTTP side: Web API calls, response_urls, uploads, and simulated failures.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { violations } from './limits.ts';
import { createRates } from './rates.ts';
import { Refusal } from './web-api/checks.ts';
import { createMethods } from './web-api/methods.ts';
import type { DoubleMessage, Loose, Workspace } from './workspace.ts';

/** Simulated failures. */
export interface Faults {
  /** Every call fails with 503. */
  down: boolean;
  /** Additional milliseconds per call. */
  slow: number;
  /** The bot is a member of no channel: it may post, but must join to read. */
  outside: boolean;
  /** Number of posts that succeed, but whose response is lost. */
  deaf: number;
  /** Number of calls answered with 429. */
  busy: number;
  charts: boolean;
  /** Whether `plan` blocks are accepted. */
  plans: boolean;
  /** Errors of the next calls by method; `html` is a page instead of a response. */
  words: Record<string, string[]>;
  /** Statuses of the next posts to response_urls. */
  responses: number[];
  /** Channels that the bot is no member of and cannot see. */
  closed: Set<string>;
  archived: Set<string>;
}

export interface OpenResponse {
  readonly channel: string;
  readonly user: string;
  /** The message with the pressed button. */
  readonly original: DoubleMessage | null;
}

export interface Handler {
  (request: IncomingMessage, response: ServerResponse): Promise<void>;
  openResponse(open: OpenResponse): string;
  /** Answers requests that are not Slack's; true if it did. */
  also?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

export interface HandlerOptions {
  readonly space: Workspace;
  readonly faults: Faults;
  readonly rates: boolean;
  readonly tokens: readonly string[];
  readonly base: () => string;
  readonly socketUrl: () => string;
}

const RESPONSE_USES = 5;
const RESPONSE_LIFE = 30 * 60_000;

export function createHandler(options: HandlerOptions): Handler {
  const { space, faults, tokens, base, socketUrl } = options;
  const methods = createMethods(space, { faults, base, bot: { token: tokens[0]! } });
  const waitFor = createRates(space.calls);
  const responses = new Map<
    string,
    OpenResponse & { uses: number; time: number; response: DoubleMessage | null }
  >();

  async function call(method: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const args = readArguments(await readBody(request), request);
    const entry = { method, time: Date.now(), args, result: 'ok' };
    if (faults.slow > 0) await delay(faults.slow);
    if (faults.down) {
      entry.result = 'down';
      space.calls.push(entry);
      space.changed();
      return send(response, 503, { ok: false, error: 'service_unavailable' });
    }
    const wait = faults.busy > 0 ? 1 : options.rates ? waitFor(method, args, entry.time) : 0;
    if (wait > 0) {
      faults.busy = Math.max(0, faults.busy - 1);
      entry.result = 'ratelimited';
      space.calls.push(entry);
      space.changed();
      response.setHeader('retry-after', String(wait));
      return send(response, 429, { ok: false, error: 'ratelimited' });
    }
    space.calls.push(entry);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? args['token'];
    if (method !== 'oauth.v2.access' && !tokens.includes(String(token))) {
      entry.result = 'invalid_auth';
      return send(response, 200, { ok: false, error: 'invalid_auth' });
    }
    const word = faults.words[method]?.shift();
    if (word !== undefined) {
      entry.result = word;
      if (word === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>proxy</html>');
      else send(response, 200, { ok: false, error: word });
      return space.changed();
    }
    if (method === 'apps.connections.open') return send(response, 200, { ok: true, url: socketUrl() });
    try {
      const work = methods[method];
      if (!work) throw new Refusal('unknown_method');
      const given = work(args);
      const lost = faults.deaf > 0 && method === 'chat.postMessage';
      if (lost) faults.deaf -= 1;
      if (lost) response.destroy();
      else send(response, 200, { ok: true, ...given });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      entry.result = error.message;
      send(response, 200, { ok: false, error: error.message, ...error.details });
    }
    space.changed();
  }

  async function respond(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await readBody(request)) as Loose;
    const open = responses.get(id);
    if (faults.slow > 0) await delay(faults.slow);
    if (faults.down) return send(response, 503, {});
    const status = faults.responses.shift();
    if (status !== undefined) {
      space.calls.push({ method: 'response_url', time: Date.now(), args: body, result: String(status) });
      if (status === 429) response.setHeader('retry-after', '1');
      return send(response, status, {});
    }
    if (!open || open.uses >= RESPONSE_USES || Date.now() - open.time > RESPONSE_LIFE) {
      return send(response, 404, { ok: false, error: 'used_url' });
    }
    open.uses += 1;
    const faultsOf = violations(body as { blocks?: unknown[] });
    const chart =
      !faults.charts &&
      ((body['blocks'] ?? []) as Loose[]).some((block) => block['type'] === 'data_visualization');
    if (body['delete_original'] !== true && (faultsOf.length > 0 || chart)) {
      return send(response, 400, { ok: false, error: 'invalid_blocks', messages: faultsOf });
    }
    const original = open.response ?? open.original;
    if (body['delete_original'] === true) {
      if (original) space.messages.splice(space.messages.indexOf(original), 1);
    } else if (body['replace_original'] === true && original) {
      original.blocks = (body['blocks'] ?? []) as Loose[];
      original.text = String(body['text'] ?? '');
      original.edited += 1;
    } else {
      const visible = body['response_type'] === 'in_channel';
      const message: DoubleMessage = {
        ts: space.nextTs(),
        channel: open.channel,
        user: space.bot,
        text: String(body['text'] ?? ''),
        blocks: (body['blocks'] ?? []) as Loose[],
        edited: 0,
        ...(!visible && { only: open.user }),
      };
      space.messages.push(message);
      open.response ??= message;
    }
    send(response, 200, { ok: true });
    space.changed();
  }

  const handler: Handler = async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://double').pathname;
    try {
      if (path.startsWith('/api/')) return await call(path.slice('/api/'.length), request, response);
      if (path.startsWith('/response/'))
        return await respond(path.slice('/response/'.length), request, response);
      if (path.startsWith('/upload/')) {
        const file = space.files.get(path.slice('/upload/'.length));
        const bytes = await readBytes(request);
        if (file) file.bytes = bytes;
        space.changed();
        return send(response, file && !faults.down ? 200 : 503, {});
      }
      if (await handler.also?.(request, response)) return undefined;
      return send(response, 404, {});
    } catch (error) {
      return send(response, 500, { ok: false, error: String(error) });
    }
  };
  handler.openResponse = (open) => {
    const id = randomUUID();
    responses.set(id, { ...open, uses: 0, time: Date.now(), response: null });
    return id;
  };
  return handler;
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function readBody(request: IncomingMessage): Promise<string> {
  return (await readBytes(request)).toString();
}

/** Slack's clients send forms with structured fields as JSON. */
function readArguments(body: string, request: IncomingMessage): Loose {
  if (request.headers['content-type']?.startsWith('application/json'))
    return JSON.parse(body || '{}') as Loose;
  return Object.fromEntries(
    [...new URLSearchParams(body)].map(([key, value]) => [
      key,
      /^[[{]/.test(value) ? safeJson(value) : value,
    ]),
  );
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.writableEnded) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
