// Entry point of the command: connects it to the process, its streams and its signals.
import { VERSION } from '@pressroom/api/client';
import { UsageError } from './exit-codes.ts';
import { runCommandLine } from './run.ts';

const controller = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first signal cancels; the second exits at once.
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error(`Stopped by ${signal}.`));
  });
}
let readsOnly = true;
let isOutputLost = false;
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // A reader that closes early, such as `head`, is not a failure.
  const isLost = code !== 'EPIPE';
  if (isLost && !isOutputLost) process.stderr.write(`Error: The output cannot be written (${code}).\n`);
  if (readsOnly) process.exit(isLost ? 1 : 0);
  isOutputLost ||= isLost;
});
process.stderr.on('error', () => undefined);

const exitCode = await runCommandLine({
  args: process.argv.slice(2),
  env: process.env,
  get cwd() {
    return currentDirectory();
  },
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
  version: VERSION,
  onCommand: (command) => (readsOnly = command.readsOnly === true),
});
process.exitCode = exitCode === 0 && isOutputLost ? 1 : exitCode;

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError(
      'The current directory no longer exists.',
      'Change to another directory and try again.',
    );
  }
}
