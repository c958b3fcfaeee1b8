// Contents of bundles that were published or compared here: path, checksum, size and stamp of every file. Stored with
// the extension and not in the record, which is committed and should be short and easy to merge. Colleagues see marks
// after publishing or comparing once.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { KnownFile } from '@pressroom/api/publish';
import { EventEmitter, type Event } from 'vscode';

export interface BundleRef {
  readonly server: string;
  readonly guid: string;
  readonly bundle_id: string;
}

/** A draft; with the task that made it, if known: refused if another has replaced it. */
export interface DraftRef extends BundleRef {
  readonly draft_task_id?: string | undefined;
}

export type Contents = ReadonlyMap<string, KnownFile>;

export interface BundleContents {
  /** Undefined if unknown here. */
  get(bundle: BundleRef): Promise<Contents | undefined>;
  /** Available at once, stored when the promise resolves. Never throws: marks are optional. */
  keep(bundle: BundleRef, contents: Contents): Promise<void>;
  /** Fires when contents are added. */
  readonly onDidKeep: Event<undefined>;
}

const BUNDLES_KEPT = 100;
const BUNDLES_AT_HAND = 10;
/** So that 50,000 files do not block the editor. */
const LINES_AT_ONCE = 1000;

/** @param folder undefined to keep contents only while the window is open */
export function createBundleContents(folder: string | undefined): BundleContents {
  const known = new Map<string, Promise<Contents | undefined>>();
  const kept = new EventEmitter<undefined>();
  return {
    get(bundle) {
      const name = nameOf(bundle);
      const found = known.get(name) ?? (folder === undefined ? undefined : read(path.join(folder, name)));
      if (found === undefined) return Promise.resolve(undefined);
      known.set(name, found);
      return found;
    },
    async keep(bundle, contents) {
      const name = nameOf(bundle);
      known.set(name, Promise.resolve(contents));
      for (const old of [...known.keys()].slice(0, -BUNDLES_AT_HAND)) known.delete(old);
      kept.fire(undefined);
      if (folder === undefined) return;
      try {
        await write(folder, name, contents);
      } catch {
        // Known until the window closes.
      }
    },
    onDidKeep: kept.event,
  };
}

function nameOf({ server, guid, bundle_id }: BundleRef): string {
  return createHash('sha256').update([server, guid, bundle_id].join('\0')).digest('hex').slice(0, 32);
}

async function read(file: string): Promise<Contents | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const contents = new Map<string, KnownFile>();
  for (const line of text.split('\n')) {
    const [, md5, size, stamp, name] = /^([0-9a-f]{32}) (\d+) (\S+) ([^]+)$/.exec(line) ?? [];
    if (md5 === undefined || name === undefined) continue;
    contents.set(name.replaceAll('\0', '\n'), {
      md5,
      size: Number(size),
      ...(stamp !== '-' && stamp !== undefined && { stamp }),
    });
  }
  return contents;
}

async function write(folder: string, name: string, contents: Contents): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, name);
  await pipeline(Readable.from(lines(contents)), createWriteStream(`${file}.tmp`));
  await rename(`${file}.tmp`, file);
  const names = (await readdir(folder)).filter((other) => !other.endsWith('.tmp'));
  if (names.length <= BUNDLES_KEPT) return;
  const times = await Promise.all(
    names.map(async (other) => ({ other, time: (await stat(path.join(folder, other))).mtimeMs })),
  );
  const old = times.toSorted((a, b) => b.time - a.time).slice(BUNDLES_KEPT);
  await Promise.all(old.map(({ other }) => rm(path.join(folder, other), { force: true })));
}

function* lines(contents: Contents): Generator<string> {
  let chunk: string[] = [];
  for (const [file, { md5, size, stamp = '-' }] of contents) {
    // No name has a null character.
    chunk.push(`${md5} ${size} ${stamp} ${file.replaceAll('\n', '\0')}\n`);
    if (chunk.length < LINES_AT_ONCE) continue;
    yield chunk.join('');
    chunk = [];
  }
  yield chunk.join('');
}
