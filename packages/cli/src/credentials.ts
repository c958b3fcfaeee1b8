// The API keys of this account, one per server, in a file that only this account can read.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { normalizeServerUrl } from '@pressroom/api/client';
import { UsageError } from './exit-codes.ts';

export interface Credential {
  api_key: string;
  username: string;
}

export interface Credentials {
  version: 1;
  /** The default server: that of the last login. */
  default: string | null;
  /** By normalised address. */
  servers: Record<string, Credential>;
}

const STALE_MS = 10_000;
const WAIT_MS = 20;

type Environment = Readonly<Record<string, string | undefined>>;

/** Path of the file: below XDG_CONFIG_HOME, else ~/.config. */
export function credentialsFile(env: Environment): string {
  const configured = env['XDG_CONFIG_HOME'];
  const base = configured && path.isAbsolute(configured) ? configured : path.join(homeOf(env), '.config');
  return path.join(base, 'pressroom', 'credentials.json');
}

function homeOf(env: Environment): string {
  try {
    return env['HOME'] || homedir();
  } catch {
    // Unknown to the system: container engines give such an account this one.
    return '/';
  }
}

/** Reads the file; empty if there is none. A file readable by others is closed to them. Throws UsageError. */
export async function readCredentials(env: Environment): Promise<Credentials> {
  const file = credentialsFile(env);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(file, 0o600);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR'].includes(code)) return { version: 1, default: null, servers: {} };
    throw new UsageError(`${file} cannot be read.`, 'Check its owner and permissions.');
  }
  const parsed = parse(text);
  if (parsed === undefined) throw new UsageError(`${file} is damaged.`, 'Delete it and run: pressroom login');
  return parsed;
}

/** Adds or replaces the key of a server and makes that server the default. Returns the file. */
export async function storeCredential(
  env: Environment,
  server: string,
  credential: Credential,
): Promise<string> {
  const file = credentialsFile(env);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  await takeLock(lock);
  try {
    const { servers } = await readCredentials(env);
    await replace(file, { version: 1, default: server, servers: { ...servers, [server]: credential } });
  } finally {
    await rm(lock, { force: true });
  }
  return file;
}

/** Other commands that store a key wait meanwhile: each writes the whole file. */
async function takeLock(lock: string): Promise<void> {
  for (;;) {
    try {
      return await (await open(lock, 'wx', 0o600)).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    // Of a command that was killed: others hold it for milliseconds.
    const { mtimeMs = Date.now() } = (await stat(lock).catch(() => undefined)) ?? {};
    if (Math.abs(Date.now() - mtimeMs) > STALE_MS) await rm(lock, { force: true });
    else await setTimeout(WAIT_MS);
  }
}

async function replace(file: string, credentials: Credentials): Promise<void> {
  const text = `${JSON.stringify(credentials, null, 2)}\n`;
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function parse(text: string): Credentials | undefined {
  try {
    const value = JSON.parse(text) as Partial<Credentials>;
    const servers: Record<string, Credential> = {};
    for (const [server, entry] of Object.entries(value.servers ?? {})) {
      if (typeof entry?.api_key !== 'string' || normalizeServerUrl(server) !== server) continue;
      servers[server] = { api_key: entry.api_key, username: String(entry.username ?? '') };
    }
    const chosen = typeof value.default === 'string' && servers[value.default] ? value.default : null;
    return { version: 1, default: chosen, servers };
  } catch {
    return undefined;
  }
}
