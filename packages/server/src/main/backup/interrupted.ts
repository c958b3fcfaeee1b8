// Ctrl-C and SIGTERM end a backup or restore after it has cleaned up; a second signal ends it at once.

export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => controller.abort(new Error('it was interrupted')));
  return controller.signal;
}
