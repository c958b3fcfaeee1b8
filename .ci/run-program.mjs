// Runs a program asynchronously.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Shows its errors, and its output if `stdio` says so. @returns its exit code, null after a signal */
export async function runProgram(
  command,
  args,
  { stdio = ['ignore', 'ignore', 'inherit'], ...options } = {},
) {
  const [code] = await once(spawn(command, args, { stdio, ...options }), 'exit');
  return code;
}
