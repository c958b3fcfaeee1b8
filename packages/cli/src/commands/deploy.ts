// pressroom deploy: publishes a directory and shows its progress.
import path from 'node:path';
import { RefusedError } from '@pressroom/api/client';
import { kindLabel, kinds } from '@pressroom/api/contract';
import {
  BundleError,
  deploy as runDeploy,
  type Cause,
  type DeployEvent,
  type DeployOptions,
  plainLine,
  previewNameOf,
  readRecords,
  type Rendering,
  RENDERINGS,
} from '@pressroom/api/publish';
import { previewOfBranch } from '../branch.ts';
import { listOption, stringOption, type Command, type CommandContext } from '../command.ts';
import { type DeployReport, withReport } from '../deploy-report.ts';
import { lengthOption, lengthText, shareOption } from '../canary-options.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { EXIT, exitCodeOf, UsageError } from '../exit-codes.ts';
import { bytesText, type Terminal } from '../terminal.ts';
import { writeRequirements } from '../write-requirements.ts';

/** Minimum bytes for a progress bar. */
const WORTH_A_BAR = 50_000_000;

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
    return withReport(path.resolve(context.cwd, file), (report) => run(context, report));
  },
};

async function run(context: CommandContext, report: DeployReport | null): Promise<number> {
  const dir = path.resolve(context.cwd, context.positionals[0] as string);
  const name = stringOption(context, 'name');
  if (name !== undefined && !/^[A-Za-z0-9_-]{3,64}$/.test(name)) {
    throw new UsageError('--name must be 3 to 64 letters, digits, dashes and underscores.');
  }
  const dryRun = context.values['dry-run'] === true;
  const records = await readRecords(dir);
  const recorded = records[0]?.server;
  const guidOn = (url: string) =>
    stringOption(context, 'guid') ?? records.find(({ server }) => server === url)?.guid;
  // A dry run sends nothing and needs no key; the address only selects the record.
  const connection = dryRun
    ? { url: stringOption(context, 'server') ?? recorded ?? 'http://localhost' }
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
  const state: ShowState = { wanted: name, dryRun, sent: 0 };
  const show = context.json ? showJson : showText;
  for await (const event of runDeploy(options)) {
    show(context.terminal, event, state);
    if (report) showText(report.log, event, state);
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
    if (name === null) throw new UsageError('--preview-name must have a letter or a digit.');
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

interface ShowState {
  /** The requested name. */
  wanted: string | undefined;
  /** Lists every file. */
  dryRun: boolean;
  /** Bytes of the archive sent so far. */
  sent: number;
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
    case 'failed':
      return event.failure === undefined ? EXIT.failed : exitCodeOf(event.failure);
    default:
      return undefined;
  }
}

function showJson(terminal: Terminal, event: DeployEvent): void {
  if (event.type !== 'failed') return terminal.printJson(event);
  const { failure, ...rest } = event;
  terminal.printJson({ ...rest, failure: failure instanceof Error ? failure.name : null });
}

function showText(terminal: Terminal, event: DeployEvent, state: ShowState): void {
  switch (event.type) {
    case 'read': {
      if (event.totalBytes < WORTH_A_BAR) return undefined;
      const share = event.bytes / event.totalBytes;
      return terminal.progress('Reading', share, `${event.files} of ${event.totalFiles} files`);
    }
    case 'collect':
      return showCollected(terminal, event, state.dryRun);
    case 'preview':
      return terminal.note('Dry run: nothing was sent.');
    case 'target':
      if (state.wanted !== undefined && event.created && event.name !== state.wanted) {
        terminal.note(`The name ${state.wanted} is taken. Publishing as ${event.name} instead.`);
      }
      return terminal.note(`${event.created ? 'Created' : 'Updating'} ${event.name} (${event.guid})`);
    case 'pack': {
      // Files count once they are read completely; bytes sent show progress within a large one.
      const bytes = Math.min(event.totalBytes, Math.max(event.bytes, state.sent));
      const share = event.totalBytes === 0 ? 1 : bytes / event.totalBytes;
      const detail = `${event.files} of ${event.totalFiles} files, ${bytesText(bytes)} of ${bytesText(event.totalBytes)}`;
      return terminal.progress('Uploading', share, detail);
    }
    case 'upload':
      state.sent = event.bytes;
      if (event.total !== undefined) terminal.note(`Uploaded ${bytesText(event.total)}.`);
      return undefined;
    case 'deploy':
      return terminal.note(`Deploying bundle ${event.bundle_id}, task ${event.task_id}`);
    case 'log':
      return terminal.note(`  ${event.line}`);
    case 'warning':
      return terminal.note(`Warning: ${event.message}`);
    case 'done':
      if (event.draft) {
        terminal.note(
          `Draft of bundle ${event.bundle_id}${until(event.draft.expires_time)}. To make it live:`,
        );
        terminal.note(`  pressroom activate ${event.bundle_id} --content ${event.content.guid}`);
      } else if (event.canary) {
        const { share, length, waits } = event.canary;
        const then = waits ? 'then waits for you' : 'then goes live';
        terminal.note(
          `Bundle ${event.bundle_id} takes ${share} % of new sessions for ${lengthText(length)}, ${then}. To follow it:`,
        );
        terminal.note(`  pressroom canary show ${event.content.guid}`);
      } else terminal.note('Published.');
      return terminal.print(event.url);
    case 'unknown':
      terminal.note(`The outcome of the deploy is unknown: ${event.error}`);
      return terminal.note(`To check again, run: pressroom logs ${event.task_id} --first ${event.first}`);
    case 'cancelled':
      terminal.note(
        event.task_id === null ? 'Cancelled.' : `Cancelled. Task ${event.task_id} continues on the server.`,
      );
      return event.left.forEach((line) => terminal.note(`Not cleaned up: ${line}`));
    case 'failed':
      return showFailure(terminal, event);
  }
}

function showCollected(terminal: Terminal, event: DeployEvent & { type: 'collect' }, dryRun: boolean): void {
  const entry = event.entrypoint === null ? '' : `, ${event.entrypoint}`;
  terminal.note(
    `${event.count} ${event.count === 1 ? 'file' : 'files'}, ${bytesText(event.bytes)} (${kindLabel(event.app_mode)}${entry})`,
  );
  if (event.rendering === 'both')
    terminal.note('Visitors see what you rendered here until the server has rendered it.');
  const biggest = event.largest.slice(0, 3).map((file) => `${file.path} ${bytesText(file.size)}`);
  if (event.count > 3) terminal.note(`Largest: ${biggest.join(', ')}`);
  const excluded = dryRun ? event.excluded : event.excluded.slice(0, 10);
  for (const item of excluded) terminal.note(`Excluded: ${item.path} (${item.reason})`);
  const more = event.excludedCount - excluded.length;
  if (more > 0) terminal.note(`Excluded: ${more} more`);
  for (const warning of event.warnings) terminal.note(`Warning: ${warning}`);
  if (dryRun) for (const file of event.files) terminal.print(file);
}

function showFailure(terminal: Terminal, event: DeployEvent & { type: 'failed' }): void {
  terminal.endProgress();
  terminal.note(`Failed${event.code === null ? '' : ` (code ${event.code})`}: ${event.error}`);
  const cause = event.cause?.line.trim() ?? '';
  // The server ends the output with the error itself.
  if (event.cause !== null && cause !== `Error: ${event.error} (code ${event.code})`)
    terminal.note(`Cause, ${placeOf(event.cause)}: ${plainLine(cause)}`);
  const waiting = waitingOf(event);
  if (waiting !== null) {
    terminal.note(`Others approve it with: pressroom approve ${waiting} --content ${event.guid}`);
    return terminal.note(`Then it goes live with: pressroom activate ${waiting} --content ${event.guid}`);
  }
  if (event.hint !== '') terminal.note(event.hint);
  if (event.failure instanceof BundleError && event.failure.code === 'requirements-missing')
    terminal.note('With --write-requirements, this command writes one.');
  if (event.failure instanceof BundleError && event.failure.code === 'content-unknown')
    terminal.note('With --type and --entrypoint, you choose them: pressroom deploy --help lists the types.');
  for (const line of event.left) terminal.note(`Not cleaned up: ${line}`);
}

function placeOf({ file, at, cell, index }: Cause): string {
  if (file !== undefined) return at === undefined ? file : `${file} line ${at}`;
  return cell === undefined ? `line ${index + 1} of the output` : `cell ${cell}`;
}

/** The bundle that now waits for approval. */
function waitingOf({ failure }: DeployEvent & { type: 'failed' }): string | null {
  const release = failure instanceof RefusedError ? failure.payload?.['release'] : null;
  return typeof release === 'string' ? release : null;
}

/** Some servers do not report when a draft expires. */
function until(time: string | null): string {
  return time === null ? '' : `, until ${time}`;
}
