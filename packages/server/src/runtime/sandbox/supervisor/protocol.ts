// The protocol between the server and its supervisor over a private socket. One connection per request: the server
// sends one line of JSON, then single letters; the supervisor replies in frames.
import { isIP } from 'node:net';
import { isAbsolute, normalize } from 'node:path';
import { isObject } from '../../../platform/is-object.ts';
import type { Command } from '../command.ts';
import type { ForkRequest } from '../starter.ts';

export type Request =
  | { readonly op: 'describe' }
  | { readonly op: 'responds' }
  | { readonly op: 'start'; readonly id: string; readonly account: string | null; readonly command: Command }
  | ({ readonly op: 'fork' } & ForkRequest)
  | { readonly op: 'give'; readonly path: string; readonly account: string | null }
  | { readonly op: 'removeLeftovers' }
  | { readonly op: 'pam'; readonly username: string; readonly password: string };

/** Sent after a start: stop the process, resume or pause its output. */
export const STOP = 's';
export const RESUME = 'r';
export const PAUSE = 'p';

/** A frame: one byte for its kind, four for the length, the body. */
export const FRAME = { stdout: 1, stderr: 2, response: 3, failure: 4, begun: 5 } as const;
export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

const HEADER = 5;
const ID = /^[A-Za-z0-9]{8,32}$/;
/** Dominated by variables of content. */
export const MAX_REQUEST = 16 * 2 ** 20;
const MAX_FRAME = 2 ** 24;

export function frame(kind: FrameKind, body: Buffer | object): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

/** @throws for an invalid frame. */
export function createFrameReader(onFrame: (kind: number, body: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER) {
      const length = rest.readUInt32BE(1);
      if (length > MAX_FRAME) throw new Error('the supervisor sent a frame that is too large');
      if (rest.length < HEADER + length) return;
      onFrame(rest.readUInt8(0), rest.subarray(HEADER, HEADER + length));
      rest = rest.subarray(HEADER + length);
    }
  };
}

/** Validates a request as untrusted input: the server handles data from everybody. @throws Error with the reason */
export function parseRequest(line: string): Request {
  const value = JSON.parse(line);
  const request = recordOf(value, 'request');
  switch (request.op) {
    case 'describe':
      return { op: 'describe' };
    case 'responds':
      return { op: 'responds' };
    case 'removeLeftovers':
      return { op: 'removeLeftovers' };
    case 'start':
      return {
        op: 'start',
        id: matching(request.id, ID, 'id'),
        account: accountOf(request.account),
        command: commandOf(recordOf(request.command, 'command')),
      };
    case 'fork':
      return {
        op: 'fork',
        id: matching(request.id, ID, 'id'),
        of: matching(request.of, ID, 'id'),
        args: listOf(request.args).map(plain),
        env: variablesOf(request.env),
      };
    case 'give':
      return { op: 'give', path: absolute(request.path), account: accountOf(request.account) };
    case 'pam':
      return { op: 'pam', username: plain(request.username), password: plain(request.password) };
    default:
      throw new Error('unknown operation');
  }
}

function commandOf(value: Record<string, unknown>): Command {
  return {
    file: plain(value.file),
    args: listOf(value.args).map(plain),
    cwd: absolute(value.cwd),
    ...(value.image !== undefined && { image: matching(value.image, /^sha256:[0-9a-f]{64}$/, 'image') }),
    env: variablesOf(value.env),
    readable: listOf(value.readable ?? []).map(absolute),
    writable: listOf(value.writable ?? []).map(absolute),
    ...(typeof value.network === 'boolean' && { network: value.network }),
    ...(value.hosts !== undefined && { hosts: hostsOf(value.hosts) }),
    ...(value.reserves === true && { reserves: true }),
    ...(value.prepares === true && { prepares: true }),
  };
}

function hostsOf(value: unknown): Record<string, string[]> {
  const hosts = Object.entries(recordOf(value, 'hosts')).map(([name, ips]) => {
    return [matching(name, /^[^\s#]+$/, 'host name'), listOf(ips).map(ipOf)] as const;
  });
  return Object.fromEntries(hosts);
}

function ipOf(value: unknown): string {
  const text = plain(value);
  if (isIP(text) === 0) throw new Error('not an IP address');
  return text;
}

function variablesOf(value: unknown): Record<string, string> {
  const env = Object.entries(recordOf(value ?? {}, 'env')).map(([name, text]) => {
    return [matching(name, /^[A-Za-z_][A-Za-z0-9_]*$/, 'variable name'), plain(text)] as const;
  });
  return Object.fromEntries(env);
}

function recordOf(value: unknown, what: string): Record<string, unknown> {
  if (!isObject(value)) throw new Error(`${what} is not an object`);
  return value;
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length > 10_000) throw new Error('not a list');
  return value;
}

function plain(value: unknown): string {
  if (typeof value !== 'string' || value.includes('\0')) throw new Error('not a text');
  return value;
}

function matching(value: unknown, pattern: RegExp, what: string): string {
  const text = plain(value);
  if (!pattern.test(text)) throw new Error(`not a valid ${what}`);
  return text;
}

function absolute(value: unknown): string {
  const path = plain(value);
  if (!isAbsolute(path) || normalize(path) !== path) throw new Error('not a plain absolute path');
  return path;
}

function accountOf(value: unknown): string | null {
  return value === null ? null : matching(value, /^(?:[A-Za-z_][A-Za-z0-9_.-]{0,31}|#\d{10})$/, 'account');
}
