// Publishing as a tool for language models: a person confirms which files go where before they are sent.
import path from 'node:path';
import { inspectDirectory } from '@pressroom/api/publish';
import {
  l10n,
  LanguageModelTextPart,
  LanguageModelToolResult,
  MarkdownString,
  workspace,
  type LanguageModelTool,
} from 'vscode';
import type { Memory } from '../store/memory.ts';
import { activeTarget } from '../store/targets.ts';
import { hostOf, typeText } from '../ui/texts.ts';
import type { Directories } from './directories.ts';
import type { Ending } from './drive.ts';
import { amount } from './plan.ts';
import type { Publisher } from './publisher.ts';

export const TOOL = 'pressroom_publish';
const LINES = 40;
const EXCLUDED_SHOWN = 10;

export function createTool(
  publisher: Publisher,
  directories: Directories,
  memory: Pick<Memory, 'target'>,
): LanguageModelTool<{ folder?: string }> {
  return {
    async prepareInvocation({ input }) {
      const dir = directoryOf(directories, input.folder);
      await directories.update(dir);
      const record = await activeTarget(dir, memory);
      const inspection = await inspectDirectory(dir, { exclude: directories.excludeOf(dir) });
      const type = record?.app_mode ?? inspection.candidates[0]?.appmode ?? '';
      const { excluded, largest } = inspection.collected;
      const message = new MarkdownString();
      const line = (text: string) => message.appendText(text).appendMarkdown('\n\n');
      line(
        l10n.t(
          '{0}, {1}: {2} to {3}',
          path.basename(dir),
          typeText(type),
          amount(inspection),
          record ? hostOf(record.server) : '?',
        ),
      );
      line(
        l10n.t(
          'Largest: {0}',
          largest
            .slice(0, 3)
            .map((file) => file.path)
            .join(', '),
        ),
      );
      if (excluded.length > 0) {
        line(
          l10n.t(
            'Excluded: {0}',
            excluded
              .slice(0, EXCLUDED_SHOWN)
              .map((item) => `${item.path} (${item.reason})`)
              .join('; '),
          ),
        );
      }
      return {
        invocationMessage: l10n.t('Publishing {0}', path.basename(dir)),
        confirmationMessages: { title: l10n.t('Publish {0}?', path.basename(dir)), message },
      };
    },
    async invoke({ input }, token) {
      const dir = directoryOf(directories, input.folder);
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      const ending = await publisher.publish(dir, { ask: false, signal: abort.signal });
      return new LanguageModelToolResult([new LanguageModelTextPart(answer(dir, ending))]);
    },
  };
}

function directoryOf({ folderOf, pathOf }: Directories, folder = '.'): string {
  const [open] = workspace.workspaceFolders ?? [];
  const first = open && pathOf(open.uri);
  if (first === undefined) throw new Error(l10n.t('No folder is open.'));
  const dir = path.resolve(first, folder);
  if (folderOf(dir) === undefined) throw new Error(l10n.t('{0} is not in this workspace.', dir));
  return dir;
}

/** For a model: English, with the log lines that explain a failure. */
function answer(dir: string, ending: Ending | undefined): string {
  switch (ending?.type) {
    case 'done':
      return `Published. It is live at ${ending.url}`;
    case 'broken':
      return [
        `The bundle is deployed to ${ending.url}, but its page answers with status ${ending.status}.`,
        ...ending.printed.slice(-LINES),
      ].join('\n');
    case 'failed':
      return [`Deploy failed: ${ending.error}`, ending.hint, ...ending.lines.slice(-LINES)].join('\n');
    case 'unknown':
      return `The deploy may still be running on the server: ${ending.error}`;
    case 'cancelled':
      return ['Cancelled.', ...ending.left].join(' ');
    default:
      return `${dir} was not published: a person has to publish it for the first time, in a trusted workspace, with the command "Pressroom: Publish".`;
  }
}
