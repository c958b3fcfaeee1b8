// The supervisor, which stays root: starts confined processes for the server, removes what killed servers left, changes
// file owners, asks PAM. Nothing else.
import { constants, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../../platform/errors.ts';
import { isOutage } from '../../../platform/outage.ts';
import { findAccount, findNumbered, isRoot, type Account } from '../accounts.ts';
import { openBelow } from '../chown-tree.ts';
import { O_PATH } from '../descriptors.ts';
import type { Output, Started, Starter } from '../starter.ts';
import { frame, FRAME, MAX_REQUEST, parseRequest, PAUSE, RESUME, STOP, type Request } from './protocol.ts';

const FULL = 'full';

/**
 * The name of the account, or why PAM refuses. `isGuess`: the name or the password is wrong; not that the account may
 * not sign in, or a module failed.
 */
export type PamAnswer =
  | { readonly account: string }
  | { readonly refused: string; readonly isGuess: boolean };
export type AskPam = (username: string, password: string) => Promise<PamAnswer>;

export interface SupervisorOptions {
  readonly starter: Starter;
  /** The account that handles requests: content never runs as it. */
  readonly server: Account;
  /** Whether the settings allow content to run as an account. */
  readonly mayRunAs: (account: Account) => boolean;
  /** Directories whose files may change owners, and be writable for content. */
  readonly owned: readonly string[];
  /** Additional paths that content may read. */
  readonly shown: readonly string[];
  /** Null unless people sign in with accounts of the machine. */
  readonly pam: AskPam | null;
}

/** @returns a server that does not listen yet. */
export function createSupervisor(options: SupervisorOptions): Server {
  return createServer((socket) => {
    socket.on('error', () => socket.destroy());
    readLine(socket, (line, rest) => {
      serve(options, socket, line, rest).catch((error: unknown) => {
        // For the server's log; contains only what the server sent itself.
        socket.end(frame(FRAME.failure, { message: messageOf(error), isOutage: isOutage(error) }));
      });
    });
  });
}

async function serve(options: SupervisorOptions, socket: Socket, line: string, rest: Buffer): Promise<void> {
  const request = parseRequest(line);
  const respond = (value: object) => socket.end(frame(FRAME.response, value));
  const { starter } = options;
  if (request.op === 'describe') {
    const { isolation, containers, directory, inside, forks } = starter;
    respond({ isolation, containers, directory, inside, forks });
  } else if (request.op === 'responds') {
    respond({ responds: await starter.containers?.responds() });
  } else if (request.op === 'give') {
    requireWithin(request.path, options.owned);
    await starter.give(request.path, accountFor(options, request.account));
    respond({});
  } else if (request.op === 'removeLeftovers') {
    await starter.removeLeftovers();
    respond({});
  } else if (request.op === 'pam') {
    if (!options.pam) throw new Error('PAM is not the provider of this server');
    respond(await options.pam(request.username, request.password));
  } else if (request.op === 'fork') {
    attach(socket, await starter.fork(request, outputTo(socket)), rest);
  } else {
    await start(options, socket, request, rest);
  }
}

async function start(
  options: SupervisorOptions,
  socket: Socket,
  { id, account: name, command }: Extract<Request, { op: 'start' }>,
  rest: Buffer,
): Promise<void> {
  const { starter, owned, shown } = options;
  const identities: Record<string, string> = {};
  for (const path of command.writable ?? []) identities[path] = await identityOf(requireWithin(path, owned));
  for (const path of command.readable ?? [])
    identities[path] = await identityOf(requireWithin(path, [...owned, ...shown]));
  const account = accountFor(options, name);
  if (account === null) throw new Error('content needs an account of its own');
  const request = { id, account, command: { ...command, identities } };
  attach(socket, await starter.start(request, outputTo(socket)), rest);
}

/** Output of a process, before it is known whether it runs. */
function outputTo(socket: Socket): Output {
  return (chunk, from) => {
    // No buffering for a server that does not read.
    if (!socket.write(frame(FRAME[from], chunk))) socket.emit(FULL);
  };
}

/** Ties a process to a connection: each ends with the other. */
function attach(socket: Socket, process: Started, rest: Buffer): void {
  socket.on(FULL, () => process.flow(false)).on('drain', () => process.flow(true));
  const control = (bytes: Buffer) => {
    for (const letter of String(bytes)) {
      if (letter === STOP) process.stop();
      if (letter === PAUSE || letter === RESUME) process.flow(letter === RESUME);
    }
  };
  control(rest);
  // The server is gone, or closed the connection: the process ends.
  socket.on('data', control).on('close', () => process.stop());
  // It may be gone already.
  if (socket.destroyed) process.stop();
  socket.write(frame(FRAME.begun, { pid: process.pid }));
  void process.exited.then((exit) => socket.end(frame(FRAME.response, exit)));
}

/**
 * Null for the server's own. @throws for root under any name, the server's account, and accounts that the settings
 * forbid.
 */
function accountFor({ server, mayRunAs, starter }: SupervisorOptions, name: string | null): Account | null {
  if (name === null) return null;
  const { account: usual, ownAccounts } = starter.isolation;
  const numbered = ownAccounts ? findNumbered(name) : null;
  if (numbered) return numbered;
  const account = name === usual?.name ? usual : findAccount(name);
  if (!account) throw new Error('there is no such account');
  if (isRoot(account) || account.uid === server.uid || !mayRunAs(account))
    throw new Error('content is not allowed to run as this account');
  return account;
}

/** The server could replace the path by a link after this check: the process compares what it gets with this. */
async function identityOf(real: string): Promise<string> {
  await using above = await openBelow(dirname(real));
  await using file = await open(
    join(`/proc/self/fd/${above.fd}`, basename(real)),
    O_PATH | constants.O_NOFOLLOW,
  );
  const { dev, ino } = await file.stat({ bigint: true });
  return `${dev}:${ino}`;
}

/** Returns the real path. @throws if it is elsewhere, also through links. */
function requireWithin(path: string, directories: readonly string[]): string {
  const real = realpathSync(path);
  const lies = directories.some((directory) => real === directory || real.startsWith(`${directory}/`));
  if (!lies) throw new Error('that path is outside the directories of the server');
  return real;
}

function readLine(socket: Socket, onLine: (line: string, rest: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    const end = chunk.indexOf(0x0a);
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
    size += chunk.length;
    if (size > MAX_REQUEST) {
      socket.destroy();
      return;
    }
    if (end < 0) return;
    socket.off('data', onData);
    onLine(Buffer.concat(chunks).toString('utf8'), chunk.subarray(end + 1));
  };
  socket.on('data', onData);
}
