// pressroom deploy: publishes a directory and shows its progress.
import path from 'node:path';
import { kinds } from '@pressroom/api/contract';
import {
  deploy as runDeploy,
  type DeployEvent,
  type DeployOptions,
  previewNameOf,
  readCommit,
  readRecords,
  type Rendering,
  RENDERINGS,
} from '@pressroom/api/publish';
import { lengthOption, shareOption } from '../arguments/canary-options.ts';
import { commandHint } from '../arguments/command-hint.ts';
import { pipelineCommit } from '../ci/pipeline-commit.ts';
import { listOption, stringOption, type Command, type CommandContext } from '../command.ts';
import { namedServer, openClient, resolveConnection } from '../connection.ts';
import { previewOfBranch } from '../deploy/preview-of-branch.ts';
import { type DeployReport, withReport } from '../deploy/report.ts';
import { showJson, type ShowState, showText } from '../deploy/show-event.ts';
import { writeRequirements } from '../deploy/write-requirements.ts';
import { EXIT, exitCodeOf, UsageError } from '../exit-codes.ts';
import { warn } from '../terminal/output.ts';

export const deploy: Command = {
  name: 'deploy',
  synopsis: 'deploy DIR',
  summary: 'Publish a directory',
  help: [
    '  --name NAME          Name on the server, 3 to 64 of A-Z a-z 0-9 - _ (new content)',
    '  --title TITLE        Title',
    '  --new                Publish as new content even if it was published before',
    '  --guid GUID          Update this content item',
    '  --type MODE          Kind of content:',
    ...kinds.map(({ appmode, label }) => `                         ${appmode.padEnd(24)}${label}`),
    '  --entrypoint FILE    File to start, or module:object',
    '  --rendering WHOSE    Which rendering of a document visitors see: server (default), both (yours until the',
    '                       server has rendered it), local (yours; the source is not sent)',
    '  --include PATTERN    Include files that are excluded by default (repeatable)',
    '  --exclude PATTERN    Exclude files (repeatable)',
    '  --write-requirements Write requirements.txt where there is none, from uv.lock,',
    '                       pyproject.toml or what the files import',
    '  --draft              Deploy as a draft: what is live stays (pressroom activate makes it live)',
    '  --preview            Deploy as a draft at the address of this git branch, in place of the one before',
    '  --preview-name NAME  The same, under this name',
    '  --canary PERCENT     Give it this share of new sessions before it goes live, 1% to 50% (applications)',
    '                       0%: it goes live at once, whatever the rule of the content says',
    '  --canary-for TIME    For how long: 90s, 30m, 2h, up to 7d',
    '  --report FILE        Write address, difference and log to this file, as Markdown for a comment',
    '  --dry-run            List what would be published; send and write nothing',
  ],
  options: {
    name: { type: 'string' },
    title: { type: 'string' },
    new: { type: 'boolean' },
    guid: { type: 'string' },
    type: { type: 'string' },
    entrypoint: { type: 'string' },
    rendering: { type: 'string' },
    include: { type: 'string', multiple: true },
    exclude: { type: 'string', multiple: true },
    'write-requirements': { type: 'boolean' },
    draft: { type: 'boolean' },
    preview: { type: 'boolean' },
    'preview-name': { type: 'string' },
    canary: { type: 'string' },
    'canary-for': { type: 'string' },
    report: { type: 'string' },
    'dry-run': { type: 'boolean' },
  },
  choices: { type: kinds.map(({ appmode }) => appmode), rendering: RENDERINGS },
  positionals: [1, 1],
  async run(context) {
    const file = stringOption(context, 'report');
    if (file === undefined) return run(context, null);
    if (context.values['dry-run'] === true) throw new UsageError('A dry run has nothing to report.');
    const note = (message: string) => warn(context, message);
    return withReport(path.resolve(context.cwd, file), (report) => run(context, report), note);
  },
};

async function run(context: CommandContext, report: DeployReport | null): Promise<number> {
  const dir = path.resolve(context.cwd, context.positionals[0] as string);
  const name = stringOption(context, 'name');
  if (name !== undefined && !/^[A-Za-z0-9_-]{3,64}$/.test(name)) {
    throw new UsageError('--name must be 3 to 64 letters, digits, dashes and underscores.');
  }
  if (context.values['new'] === true && stringOption(context, 'guid') !== undefined)
    throw new UsageError('--new creates content, and --guid updates it: use one.');
  const dryRun = context.values['dry-run'] === true;
  const records = await readRecords(dir);
  const recorded = records[0]?.server;
  const guidOn = (url: string) =>
    stringOption(context, 'guid') ?? records.find(({ server }) => server === url)?.guid;
  // A dry run sends nothing and needs no key; the address only selects the record.
  const connection = dryRun
    ? { url: namedServer(context, recorded) ?? 'http://localhost' }
    : await resolveConnection(context, recorded, guidOn);
  await using client = openClient(context, connection);
  const options: DeployOptions = {
    client,
    dir,
    name,
    title: stringOption(context, 'title'),
    guid: stringOption(context, 'guid'),
    publishAsNew: context.values['new'] === true,
    type: stringOption(context, 'type'),
    entrypoint: stringOption(context, 'entrypoint'),
    rendering: renderingOf(context),
    include: listOption(context, 'include'),
    exclude: listOption(context, 'exclude'),
    dryRun,
    draft: await draftOf(context, dir),
    canary: canaryOf(context),
    signal: context.signal,
  };
  if (context.values['write-requirements'] === true && !dryRun)
    await writeRequirements(options, context.terminal);
  let code: number = EXIT.failed;
  const state: ShowState = {
    wanted: name,
    dryRun,
    sent: 0,
    hint: (command) => commandHint(context, command),
  };
  const show = context.json ? showJson : showText;
  // Read when the files are as they are published.
  const commit = dryRun
    ? undefined
    : (pipelineCommit(context.env) ?? readCommit(dir, context.env, context.signal));
  for await (const event of runDeploy({ ...options, commit })) {
    show(context.terminal, event, state);
    if (report) showText(report.log, event, state);
    if (event.type === 'unknown' && event.ended) report?.unread();
    if (event.type === 'done') await report?.deployed(client, event, context.signal);
    code = exitCodeOfEvent(event) ?? code;
  }
  return code;
}

function renderingOf(context: CommandContext): Rendering | undefined {
  const given = stringOption(context, 'rendering');
  return RENDERINGS.find((one) => one === given);
}

async function draftOf(context: CommandContext, dir: string): Promise<DeployOptions['draft']> {
  const { draft, preview } = context.values;
  const given = stringOption(context, 'preview-name');
  if (given !== undefined) {
    const name = previewNameOf(given);
    if (name === null) throw new UsageError('--preview-name must have a letter from a to z or a digit.');
    return { preview: name };
  }
  if (preview === true) return { preview: await previewOfBranch(dir, context.env) };
  return draft === true ? { preview: null } : undefined;
}

function canaryOf(context: CommandContext): DeployOptions['canary'] {
  const share = shareOption(context, 'canary', 0);
  const length = lengthOption(context, 'canary-for');
  if (share === undefined) {
    if (length !== undefined) throw new UsageError('--canary-for requires --canary.');
    return undefined;
  }
  const { draft, preview } = context.values;
  if (draft === true || preview === true || stringOption(context, 'preview-name') !== undefined)
    throw new UsageError('A draft has no visitors to share: use either --canary or a draft.');
  return { share, ...(length !== undefined && { length }) };
}

function exitCodeOfEvent(event: DeployEvent): number | undefined {
  switch (event.type) {
    case 'done':
    case 'preview':
      return EXIT.ok;
    case 'unknown':
      return EXIT.unknown;
    case 'cancelled':
      return EXIT.cancelled;
    case 'failed': {
      const code = event.failure === undefined ? EXIT.failed : exitCodeOf(event.failure);
      // No deploy has begun: the directory or an option is wrong.
      return event.phase === 'collect' && code === EXIT.failed ? EXIT.usage : code;
    }
    default:
      return undefined;
  }
}
