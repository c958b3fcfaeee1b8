// Reads why the last publish of a folder failed, and its process's output since.
import path from 'node:path';
import { l10n } from 'vscode';
import { activeTarget } from '../store/targets.ts';
import { outcomeText } from './publish.ts';
import type { Tool, ToolParts } from './tool.ts';

const LINES = 100;

export const readFailure: Tool = {
  title: 'Read failure',
  description: 'Reads why a publish failed, and the log of the newest process or rendering of the content.',
  model:
    'Returns how the last publish of a folder in this window ended, with its log, and the last lines that the newest process or rendering of the published content printed on the server.',
  icon: '$(output)',
  prepare: async (parts, dir) => ({
    title: l10n.t('Read the logs of {0}?', path.basename(dir)),
    lines: [
      l10n.t(
        'The log of the last publish, and what the content printed on the server, are given to the model.',
      ),
    ],
    run: () => failure(parts, dir),
  }),
};

async function failure({ publisher, history, memory }: ToolParts, dir: string): Promise<string> {
  const last = publisher.last(dir);
  const record = await activeTarget(dir, memory);
  const parts = [last === undefined ? 'Nothing was published in this window.' : outcomeText(dir, last)];
  if (record === undefined) return parts.join('\n');
  try {
    const [job] = await history.processes(record);
    const lines = job === undefined ? [] : await history.processLog(record, job.key);
    parts.push(
      job === undefined
        ? 'Nothing has run.'
        : `Newest ${job.pid === null ? 'rendering' : 'process'} (bundle ${job.bundle_id}):`,
      ...lines.slice(-LINES).map(({ data }) => data),
    );
  } catch (error) {
    parts.push(`The process log cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parts.join('\n');
}
