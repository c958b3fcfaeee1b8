// Runs the process that renders a document, passes on its output, and reports failures.
import { stripVTControlCharacters } from 'node:util';
import { errors } from '@pressroom/api/contract';
import { diagnose } from '@pressroom/api/publish';
import type { Command } from '../sandbox/command.ts';
import type { RenderRequest } from './engine.ts';
import { readableOf } from './readable-of.ts';

/** Lines searched for the cause of a failure. */
const MAX_LINES = 5000;

/**
 * @param command without the request's environment, source and output, which every render gets.
 * @param script the helper it runs, which it must be able to read.
 * @throws ApiError 1 with the first line of the error, the signal's reason when it is aborted.
 */
export async function runRender(
  request: RenderRequest,
  script: string,
  command: Pick<Command, 'file' | 'args' | 'env'>,
): Promise<void> {
  const { launcher, runAs, source, output, environment, values, print, signal } = request;
  const lines: string[] = [];
  const ending = await launcher.run({
    runAs,
    ...(request.content !== undefined && { content: request.content }),
    signal,
    onLine: (line) => {
      // Removes this machine's paths: names relative to the bundle are useful and clickable.
      const plain = stripVTControlCharacters(line).trimEnd();
      const shown = plain.replaceAll(`${source}/`, '').replaceAll(`${output}/`, '');
      print(shown);
      lines.push(shown);
      if (lines.length > MAX_LINES) lines.shift();
    },
    command: () => ({
      ...command,
      ...(environment.image !== undefined && { image: environment.image }),
      cwd: source,
      env: { ...environment.env, ...request.env, ...command.env },
      readable: [script, ...(values === undefined ? [] : [values]), ...readableOf(environment)],
      writable: [source, output],
    }),
  });
  if (ending.code === 0) return;
  const diagnosis = ending.outOfMemory ? null : diagnose(lines);
  if (!diagnosis) throw errors.internal({ message: `the rendering ${ending.message}` });
  const { line, index: _index, ...payload } = diagnosis;
  // Tasks add the prefix themselves.
  throw errors.internal({ message: line.replace(/^Error: /, ''), payload });
}
