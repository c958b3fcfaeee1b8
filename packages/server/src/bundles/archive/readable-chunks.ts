// Reads the chunks of a stream that somebody else owns: to its end, without destroying it.
import type { Readable } from 'node:stream';

/**
 * Yields the chunks of `source`.
 *
 * Unlike the stream's own iterator, this does not destroy the source when the reader stops early: the source is a
 * request, and destroying it would close the connection that the refusal must be sent on. The caller keeps an error
 * listener before and after.
 * @throws the stream's error; an error when it closes before its end; `signal.reason` when aborted
 */
export async function* readableChunks(
  source: Readable,
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  let ended = source.readableEnded;
  let failure: { error: unknown } | null = null;
  let wake = (): void => {};

  const onReadable = (): void => wake();
  const onEnd = (): void => {
    ended = true;
    wake();
  };
  const onError = (error: unknown): void => {
    failure ??= { error };
    wake();
  };
  const onClose = (): void => {
    if (!ended) onError(source.errored ?? new Error('The upload ended before it was complete.'));
  };
  const onAbort = (): void => onError(signal?.reason);

  source.on('readable', onReadable).on('end', onEnd).on('error', onError).on('close', onClose);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  if (source.destroyed) onClose();
  try {
    for (;;) {
      // The compiler does not see that a listener assigns it.
      const failed = failure as { error: unknown } | null;
      if (failed !== null) throw failed.error;
      const chunk = source.read() as Buffer | string | null;
      if (chunk !== null) {
        yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      } else if (ended) {
        return;
      } else if (failure === null) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  } finally {
    source.off('readable', onReadable).off('end', onEnd).off('error', onError).off('close', onClose);
    signal?.removeEventListener('abort', onAbort);
  }
}
