// Screenshots of content, taken by the machine's Chromium after a deploy: confined like content, with a socket to that
// content as its only connection, and with a time limit.
import { constants } from 'node:fs';
import { chmod, mkdir, mkdtemp, open } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { messageOf } from '../../platform/errors.ts';
import { createQueue } from '../../platform/queue.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import { findTool } from '../sandbox/tools.ts';
import { openGateway } from './content-gateway.ts';

export interface Pictures extends AsyncDisposable {
  /** Queues a thumbnail; never fails. */
  request(contentGuid: string): void;
  /**
   * Takes a PNG of the first screen, queued.
   * @param page path below the content's address, such as `_bundle12/`; empty for the live content
   * @param key authorizes access to this content
   * @throws Error if the page returns an error, or the screenshot fails
   */
  take(contentGuid: string, page: string, key: string): Promise<Buffer>;
}

export interface PicturesOptions {
  readonly launcher: Launcher;
  readonly workDirectory: string;
  /** Address of this server, without a trailing slash. */
  readonly address: () => string;
  /** Authorizes access to the content; null if it is not to be captured. */
  readonly keyFor: (contentGuid: string) => Promise<string | null>;
  readonly save: (contentGuid: string, png: Buffer) => Promise<void>;
  readonly log: Logger;
}

const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const SCRIPT = join(import.meta.dirname, 'take-picture.cjs');
/** Unused in the browser's network namespace. */
const PORT = 8080;
const TIMEOUT_MS = 30_000;
const MAX_BYTES = 2 ** 20;
const PICTURE = 'picture.png';
const FLAGS = [
  '--headless',
  // The confinement is stricter than its own sandbox.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--hide-scrollbars',
  '--no-first-run',
  '--remote-debugging-pipe',
];
const MAX_WAITING = 100;
/** Requested ones of a content item. */
const MAX_WAITING_OF_ONE = 10;

export const noPictures = () =>
  errors.actionNotSupported({
    message:
      'this server takes no pictures: it needs Chromium, Applications.Pictures, and content isolated by mounts (npm run doctor)',
  });

/** Null without a browser, or if it cannot be confined. */
export function createPictures(options: PicturesOptions): Pictures | null {
  const { launcher, log } = options;
  const browser = BROWSERS.map((name) => findTool(name)).find((file) => file !== null);
  // Images of content have no browser: with containers, there are no screenshots.
  if (browser === undefined || !launcher.isolation.mounts || launcher.containers !== null) return null;
  const waiting = new Set<string>();
  const requested: string[] = [];
  const stopping = new AbortController();
  /** Requested pictures and thumbnails take turns, so that nobody waits for the thumbnails of many deploys. */
  const queue = createQueue(1);
  return {
    request(guid) {
      if (waiting.has(guid) || waiting.size >= MAX_WAITING || stopping.signal.aborted) return;
      waiting.add(guid);
      queue
        .add('thumbnails', async () => {
          waiting.delete(guid);
          stopping.signal.throwIfAborted();
          const key = await options.keyFor(guid);
          if (key !== null)
            await options.save(guid, await take(options, browser, { guid, page: '', key }, stopping.signal));
        })
        .catch((error: unknown) => log.info('no picture of content %s: %s', guid, messageOf(error)));
    },
    async take(guid, page, key) {
      const own = requested.filter((one) => one === guid).length;
      if (requested.length >= MAX_WAITING || own >= MAX_WAITING_OF_ONE)
        throw new Error('too many pictures are waiting to be taken');
      requested.push(guid);
      const taken = queue.add(guid, async () => {
        stopping.signal.throwIfAborted();
        return take(options, browser, { guid, page, key }, stopping.signal);
      });
      return taken.finally(() => requested.splice(requested.indexOf(guid), 1));
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the server is stopping'));
      await queue.add('end', async () => undefined);
    },
  };
}

async function take(
  { launcher, workDirectory, address, log }: PicturesOptions,
  browser: string,
  { guid, page, key }: { readonly guid: string; readonly page: string; readonly key: string },
  stopping: AbortSignal,
): Promise<Buffer> {
  await mkdir(workDirectory, { recursive: true, mode: 0o711 });
  const directory = await mkdtemp(join(workDirectory, 'picture-'));
  const [socket, output] = [join(directory, 'socket'), join(directory, 'output')];
  try {
    await using gateway = await openGateway({ socket, address: address(), path: `/content/${guid}/`, key });
    await mkdir(output, { mode: 0o700 });
    await launcher.give(output, null, guid);
    await chmod(directory, 0o711);
    const ending = await launcher.run({
      runAs: null,
      content: guid,
      signal: AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]),
      onLine: (line) => log.trace(line),
      command: (temporary) => ({
        file: process.execPath,
        args: [
          SCRIPT,
          socket,
          String(PORT),
          `http://127.0.0.1:${PORT}/content/${guid}/${page}`,
          join(output, PICTURE),
          browser,
          ...FLAGS,
          `--user-data-dir=${temporary}/profile`,
        ],
        cwd: temporary,
        readable: [SCRIPT, process.execPath, socket],
        writable: [output],
        network: false,
        reserves: true,
      }),
    });
    if (ending.code !== 0) throw new Error(`the browser ${ending.message}`);
    await launcher.takeBack(output);
    const status = gateway.status();
    if (status === null || status >= 400) throw new Error(`the page answered ${status ?? 'nothing'}`);
    return await readPicture(join(output, PICTURE));
  } finally {
    await launcher.remove(directory);
  }
}

/** The browser's output is untrusted. @throws for a missing or too large file */
async function readPicture(path: string): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile() || found.size > MAX_BYTES) throw new Error('the picture is too large');
  return file.readFile();
}
