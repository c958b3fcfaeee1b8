// Stands in for what Node.js brings, in the build for browsers: as much as following, rolling back and variables need.
// Whoever needs more does not go into that build: publishing reads files.

/** A body that is read once, from front to back. */
export class Readable {
  readonly pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  constructor(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.pieces = pieces;
  }
  static from(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Readable {
    return new Readable(pieces);
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield* this.pieces;
  }
  on(): this {
    return this;
  }
  once(): this {
    return this;
  }
  off(): this {
    return this;
  }
  destroy(): this {
    return this;
  }
}

/** As node:timers/promises has it. */
export function setTimeout(
  milliseconds: number,
  value?: unknown,
  { signal }: { signal?: AbortSignal } = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = globalThis.setTimeout(() => resolve(value), milliseconds);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
  });
}

/** For the name of a key. */
export const hostname = (): string => 'the web';

/** Paths have slashes here. */
const path = {
  sep: '/',
  join: (...parts: string[]) => parts.filter((part) => part !== '').join('/'),
  basename: (file: string) => file.slice(file.lastIndexOf('/') + 1),
};
export default path;

/** Imported beside the others by code that is not in that build. */
export const availableParallelism = undefined;
export const homedir = undefined;
export const pipeline = undefined;
export const setImmediate = undefined;
