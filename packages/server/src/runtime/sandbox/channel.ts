// The named pipes by which the server orders forks of a prepared process, in a directory that only the server adds to.
import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { Account } from './accounts.ts';
import { openForWriting } from './named-pipes.ts';
import type { Tools } from './tools.ts';

/** Where a prepared process finds it. */
export const CHANNEL = '/run/pressroom-orders';
/** The pipe in it that a prepared process reads. */
const ORDERS = 'orders';

const run = promisify(execFile);

/** @returns where orders are written; while it is open, whoever reads them waits. */
export async function openChannel(channel: string, account: Account | null, tools: Tools): Promise<Writable> {
  await mkdir(channel, { mode: 0o711 });
  const orders = join(channel, ORDERS);
  await makePipes([orders], account, tools);
  return openForWriting(orders);
}

/** @throws when one is there already. */
export async function makePipes(
  paths: readonly string[],
  account: Account | null,
  { mkfifo }: Pick<Tools, 'mkfifo'>,
): Promise<void> {
  if (mkfifo === null) throw new Error('mkfifo is missing');
  await run(mkfifo, ['-m', '600', ...paths], { env: {} });
  if (account) for (const path of paths) await chown(path, account.uid, account.gid);
}
