// Publishes a folder, including the first time.
import path from 'node:path';
import { inspectDirectory, publishedOf, secretFiles } from '@pressroom/api/publish';
import { l10n } from 'vscode';
import { namesOf } from '../publish/plan/findings.ts';
import { publishedFiles } from '../publish/plan/published-files.ts';
import type { Ending } from '../publish/run/drive.ts';
import { choiceFor } from '../store/memory.ts';
import { activeTarget, targetName } from '../store/targets.ts';
import { reasonText } from '../ui/reasons.ts';
import { amountText, hostOf, typeText } from '../ui/texts.ts';
import { nothing, textOf, type Tool, type ToolInput, type ToolParts } from './tool.ts';

const LINES = 40;
const EXCLUDED_SHOWN = 10;

export const publish: Tool = {
  title: 'Publish content',
  description: 'Publishes a folder of the workspace, after you confirm which files go where.',
  model:
    'Publishes one folder of the workspace to its active target, or, the first time, to a server that the person is signed in to. Returns the address and the outcome, with the log lines that explain a failure. Use inspect first to see what would be published.',
  icon: '$(rocket)',
  input: {
    server: { type: 'string', description: 'For a first publish: address of a server of the person.' },
    type: {
      type: 'string',
      description: 'For a first publish: a type that inspect lists, if not the first.',
    },
    entrypoint: {
      type: 'string',
      description: 'For a first publish: the file, or module:object, it starts from.',
    },
    title: { type: 'string', description: 'For a first publish: title of the new content.' },
  },
  async prepare(parts, dir, input) {
    const { directories, memory, publisher } = parts;
    await directories.update(dir);
    const record = await activeTarget(dir, memory);
    const { candidates, collected } = await inspectDirectory(dir, { exclude: directories.excludeOf(dir) });
    const [wanted, entrypoint] = [textOf(input, 'type'), textOf(input, 'entrypoint')];
    const type = record?.app_mode ?? wanted ?? candidates[0]?.appmode ?? '';
    const published = record
      ? await publishedFiles(dir, directories, memory, collected)
      : await publishedOf(dir, collected, { type: wanted, entrypoint });
    const { excluded, files, largest } = published;
    const server = record?.server ?? (await signedInServer(parts, input));
    const name = path.basename(dir);
    const question = l10n.t('Publish {0}?', name);
    if (server === undefined)
      return nothing(
        question,
        l10n.t('Nothing was published: sign in to the server first, with "Pressroom: Sign In to Server".'),
      );
    const where = record ? targetName(record) : hostOf(server);
    const { accepted = [] } = choiceFor(memory, dir, server);
    const secrets = secretFiles(files).filter((file) => !accepted.includes(file));
    const title = textOf(input, 'title');
    return {
      title: question,
      lines: [
        l10n.t('{0}, {1}: {2} to {3}', name, typeText(type), amountText(published), where),
        ...(record === undefined ? [l10n.t('New content is created on the server.')] : []),
        ...(secrets.length === 0 ? [] : [l10n.t('May hold secrets: {0}', namesOf(secrets))]),
        l10n.t(
          'Largest: {0}',
          largest
            .slice(0, 3)
            .map((file) => file.path)
            .join(', '),
        ),
        ...(excluded.length === 0
          ? []
          : [
              l10n.t(
                'Excluded: {0}',
                excluded
                  .slice(0, EXCLUDED_SHOWN)
                  .map((item) => `${item.path} (${reasonText(item.reason)})`)
                  .join('; '),
              ),
            ]),
      ],
      async run(signal) {
        if (record !== undefined)
          return outcomeText(dir, await publisher.publish(dir, { ask: false, signal, to: record }));
        const choice = { server, type: wanted, entrypoint, title };
        return outcomeText(dir, await publisher.publish(dir, { ask: false, signal, again: choice }));
      },
    };
  },
};

/** One that the user is signed in to: a model cannot choose others. */
function serverFor(keys: ToolParts['keys'], input: ToolInput): string | undefined {
  const wanted = textOf(input, 'server')?.replace(/\/+$/, '');
  const servers = keys.accounts().map(({ server }) => server);
  return wanted === undefined
    ? servers[0]
    : servers.find((server) => server === wanted || hostOf(server) === wanted);
}

async function signedInServer({ keys }: ToolParts, input: ToolInput): Promise<string | undefined> {
  const server = serverFor(keys, input);
  return server !== undefined && (await keys.get(server)) !== undefined ? server : undefined;
}

/** For a model: English, with log lines that explain a failure. */
export function outcomeText(dir: string, ending: Ending | undefined): string {
  switch (ending?.type) {
    case 'done':
      return ending.canary === undefined
        ? `Published. It is live at ${ending.url}`
        : `Published as a canary: ${ending.canary.share} % of new sessions at ${ending.url} get it before it goes live.`;
    case 'broken':
      return [
        `The bundle is deployed to ${ending.url}, but its page returns status ${ending.status}.`,
        ...ending.printed.slice(-LINES),
      ].join('\n');
    case 'failed':
      return [`Deploy failed: ${ending.error}`, ending.hint, ...ending.lines.slice(-LINES)].join('\n');
    case 'unknown':
      return ending.ended
        ? `The deploy has succeeded on the server, but its result could not be read: ${ending.error}`
        : `The deploy may still be running on the server: ${ending.error}`;
    case 'cancelled':
      return ['Cancelled.', ...ending.left].join(' ');
    default:
      return `${dir} was not published: the workspace is not trusted, the person is signed out of the server, or it is being published already.`;
  }
}
