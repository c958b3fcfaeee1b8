// Prompts a person, or reads lines from standard input.
import { createInterface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';
import { UsageError } from '../exit-codes.ts';

export interface Prompt {
  /** Prompts on standard error; with `secret`, input is hidden. Throws UsageError when the input has ended. */
  ask(question: string, options?: { secret?: boolean }): Promise<string>;
  close(): void;
}

export function createPrompt(
  stdin: Readable & { isTTY?: boolean },
  output: NodeJS.WritableStream,
  signal: AbortSignal,
): Prompt {
  const terminal = stdin.isTTY === true;
  let hidden = false;
  // Readline echoes input; for a secret, the echo is discarded.
  const echo = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      if (!hidden) output.write(chunk);
      callback();
    },
  });
  const lines = createInterface({ input: stdin, output: terminal ? echo : undefined, terminal });
  const queue: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let ended = false;
  lines.on('line', (line) => {
    if (waiting === undefined) queue.push(line);
    else waiting(line);
    waiting = undefined;
  });
  const end = () => {
    ended = true;
    waiting?.(undefined);
    waiting = undefined;
  };
  lines.on('close', end);
  // In raw mode Ctrl-C is a key, not a signal.
  lines.on('SIGINT', () => process.emit('SIGINT'));
  signal.addEventListener('abort', () => lines.close(), { once: true });
  return {
    async ask(question, options = {}) {
      output.write(question);
      hidden = options.secret === true;
      const line =
        queue.shift() ??
        (ended ? undefined : await new Promise<string | undefined>((resolve) => (waiting = resolve)));
      if (hidden || !terminal) output.write('\n');
      hidden = false;
      signal.throwIfAborted();
      if (line === undefined)
        throw new UsageError(
          'The input ended before all questions were answered.',
          'In a script, use an option that answers them, if the command has one: see --help.',
        );
      return line.trim();
    },
    close: () => lines.close(),
  };
}
