// Replaces node:stream: a body that is read once, sequentially, and can be destroyed.

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
type EventName = 'end' | 'error' | 'close';
type Listener = (error?: unknown) => void;

export class Readable {
  /** Whether it was read completely. */
  readableEnded = false;
  /** Its failure, or the reason for destroying it. */
  errored: unknown = null;
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #listeners: { name: EventName; listener: Listener; once: boolean }[] = [];
  readonly #stopped = Promise.withResolvers<never>();
  #closed = false;

  constructor(pieces: Pieces) {
    this.#iterator = read(pieces);
    this.#stopped.promise.catch(() => undefined);
  }

  static from(pieces: Pieces): Readable {
    return new Readable(pieces);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = await Promise.race([this.#iterator.next(), this.#stopped.promise]);
        if (next.done === true) break;
        yield next.value;
      }
      this.readableEnded = true;
      this.#emit('end');
      this.#close();
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      this.destroy();
    }
  }

  on(name: EventName, listener: Listener): this {
    this.#listeners.push({ name, listener, once: false });
    return this;
  }

  once(name: EventName, listener: Listener): this {
    this.#listeners.push({ name, listener, once: true });
    return this;
  }

  off(name: EventName, listener: Listener): this {
    const at = this.#listeners.findIndex((item) => item.name === name && item.listener === listener);
    if (at !== -1) this.#listeners.splice(at, 1);
    return this;
  }

  /** Pending reads get the error; the source ends after its current chunk. */
  destroy(error?: unknown): this {
    if (this.#closed) return this;
    this.#stopped.reject(error ?? new Error('The stream was closed before its end.'));
    Promise.resolve(this.#iterator.return?.()).catch(() => undefined);
    if (error === undefined) this.#close();
    else this.#fail(error);
    return this;
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    this.errored = error;
    this.#emit('error', error);
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#emit('close');
  }

  #emit(name: EventName, error?: unknown): void {
    for (const item of this.#listeners.filter((one) => one.name === name)) {
      if (item.once) this.off(name, item.listener);
      item.listener(error);
    }
  }
}

async function* read(pieces: Pieces): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
