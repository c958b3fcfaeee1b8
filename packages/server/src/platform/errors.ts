// Reads thrown values of any type.

/** Node's code of a system error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** For a host with several addresses, Node's error has a message for each of them, and none for all. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** For what starts at a command line: tells who lacks rights which account to use. */
export function reasonOf(error: unknown): string {
  return /^(EACCES|EPERM)$/.test(errnoOf(error) ?? '')
    ? `${messageOf(error)}. Run it as root, or as the account that Server.DataDir belongs to.`
    : messageOf(error);
}

/** For `catch`: swallows system errors with these codes, and throws all others. */
export function ignore(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errnoOf(error) ?? '')) throw error;
  };
}
