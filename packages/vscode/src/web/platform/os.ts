// Replaces node:os.

/** For the name of a key. */
export const hostname = (): string => 'the web';
/** Only the native compressor runs concurrently with the editor's worker. */
export const availableParallelism = (): number => 2;
