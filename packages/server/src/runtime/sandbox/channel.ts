// Named pipes for fork orders to prepared processes, in a directory that only the server can write.
import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { Account } from './accounts.ts';
import { openForWriting } from './named-pipes.ts';
import type { Tools } from './tools.ts';

/** Its path in a prepared process. */
export const CHANNEL = '/run/pressroom-orders';
/** The pipe that a prepared process reads. */
const ORDERS = 'orders';

const run = promisify(execFile);

/** @returns the writing end; while it is open, readers wait. */
export async function openChannel(channel: string, account: Account | null, tools: Tools): Promise<Writable> {
  await mkdir(channel, { mode: 0o711 });
  const orders = join(channel, ORDERS);
  await makePipes([orders], account, tools);
  return openForWriting(orders);
}

/** @throws if one exists already. */
export async function makePipes(
  paths: readonly string[],
  account: Account | null,
  { mkfifo }: Pick<Tools, 'mkfifo'>,
): Promise<void> {
  if (mkfifo === null) throw new Error('mkfifo is missing');
  await run(mkfifo, ['-m', '600', ...paths], { env: {} });
  if (account) for (const path of paths) await chown(path, account.uid, account.gid);
}
