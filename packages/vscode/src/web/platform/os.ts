// In place of node:os.

/** For the name of a key. */
export const hostname = (): string => 'the web';
/** Nothing but the native compressor runs beside the editor's own worker. */
export const availableParallelism = (): number => 2;
