// Entry of the command: connects it to the process, its streams and its signals.
import { VERSION } from '@pressroom/api/client';
import { runCommandLine } from './run.ts';

const controller = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first signal cancels; the second exits at once.
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error(`Stopped by ${signal}.`));
  });
}
// A reader that closes early, such as `head`, is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
  version: VERSION,
});
