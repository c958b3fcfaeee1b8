// Shows the events of a deploy, as text or as JSON.
import path from 'node:path';
import { type Canary, kindLabel } from '@pressroom/api/contract';
import { BundleError, type Cause, type DeployEvent, plainLine, printable } from '@pressroom/api/publish';
import { lengthText } from '../arguments/canary-options.ts';
import { failureOf, waitingBundle } from '../exit-codes.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { bytesText, type Terminal } from '../terminal/terminal.ts';

/** Minimum bytes for a progress bar. */
const WORTH_A_BAR = 50_000_000;

export interface ShowState {
  /** The requested name. */
  wanted: string | undefined;
  /** Lists every file. */
  dryRun: boolean;
  /** Bytes of the archive sent so far. */
  sent: number;
  /** A command to paste, for the same server. */
  readonly hint: (command: string) => string;
  /** The content, once it is known. */
  guid?: string;
}

/** One line of JSON per event. */
export function showJson(terminal: Terminal, event: DeployEvent, state: ShowState): void {
  if (event.type !== 'failed') return terminal.printJson(event);
  const { failure, ...rest } = event;
  const { name, payload } = failureOf(failure);
  const hint = remediesOf(event, state).join('\n');
  terminal.printJson({ ...rest, hint, payload, failure: failure instanceof Error ? name : null });
}

/** Sentences and progress bars. */
export function showText(terminal: Terminal, event: DeployEvent, state: ShowState): void {
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
      state.guid = event.guid;
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
      terminal.note(`Warning: ${event.message}`);
      if (event.isAboutRecord === true && state.guid !== undefined)
        terminal.note(`Without it, name the content when you deploy again: --guid ${state.guid}`);
      return undefined;
    case 'done':
      return showPublished(terminal, event, state);
    case 'unknown':
      terminal.note(
        event.ended
          ? `The deploy has succeeded, but its result could not be read: ${event.error}`
          : `The outcome of the deploy is unknown: ${event.error}`,
      );
      return terminal.note(
        `To check again, run: ${state.hint(`logs ${event.task_id} --first ${event.first}`)}`,
      );
    case 'cancelled':
      terminal.note(
        event.task_id === null ? 'Cancelled.' : `Cancelled. Task ${event.task_id} continues on the server.`,
      );
      return event.left.forEach((line) => terminal.note(`Not cleaned up: ${line}`));
    case 'failed':
      return showFailure(terminal, event, state);
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

function showPublished(terminal: Terminal, event: DeployEvent & { type: 'done' }, { hint }: ShowState): void {
  const { bundle_id, content, draft, canary } = event;
  if (draft) {
    terminal.note(`Draft of bundle ${bundle_id}${until(draft.expires_time)}. To make it live:`);
    terminal.note(`  ${hint(`activate ${bundle_id} --content ${content.guid}`)}`);
  } else if (canary) {
    noteCanary(terminal, canary, hint(`canary show ${content.guid}`));
  } else terminal.note('Published.');
  // One line, whatever a server sends: pipelines write it to files of variables.
  terminal.print(printable(event.url));
}

export function noteCanary(
  terminal: Terminal,
  { bundle_id, share, length, waits }: Canary,
  command: string,
): void {
  const then = waits ? 'then waits for you' : 'then goes live';
  terminal.note(
    `Bundle ${bundle_id} takes ${share} % of new sessions for ${lengthText(length)}, ${then}. To follow it:`,
  );
  terminal.note(`  ${command}`);
}

function showFailure(terminal: Terminal, event: DeployEvent & { type: 'failed' }, state: ShowState): void {
  terminal.endProgress();
  terminal.note(`Failed${event.code === null ? '' : ` (code ${event.code})`}: ${event.error}`);
  const cause = event.cause?.line.trim() ?? '';
  // The server ends the output with the error itself.
  if (event.cause !== null && cause !== `Error: ${event.error} (code ${event.code})`)
    terminal.note(`Cause, ${placeOf(event.cause)}: ${plainLine(cause)}`);
  for (const line of remediesOf(event, state)) terminal.note(line);
  for (const line of event.left) terminal.note(`Not cleaned up: ${line}`);
}

/** What to do about it, in sentences. */
function remediesOf(
  { failure, hint, guid }: DeployEvent & { type: 'failed' },
  { dryRun, hint: commandHint }: ShowState,
): string[] {
  const waiting = waitingBundle(failure);
  if (waiting !== null)
    return [
      `Others approve it with: ${commandHint(`approve ${waiting} --content ${guid}`)}`,
      `Then it goes live with: ${commandHint(`activate ${waiting} --content ${guid}`)}`,
    ];
  const hints = hint === '' ? [] : [hint];
  if (!(failure instanceof BundleError)) return hints;
  const { code, paths } = failure;
  if (code === 'requirements-missing')
    hints.push(
      `With --write-requirements${dryRun ? ' and without --dry-run' : ''}, this command writes one.`,
    );
  if (code === 'content-unknown')
    hints.push('With --type and --entrypoint, you choose them: pressroom deploy --help lists the types.');
  if (code === 'not-a-directory')
    hints.push(
      `To publish this file, name it with --entrypoint ${shellWord(path.basename(paths[0] ?? ''))}.`,
    );
  // No path: the main file could not be detected, and nobody named one.
  if (code === 'file-missing' && paths.length === 0)
    hints.push('With --entrypoint, you choose it, such as app:app or report.Rmd.');
  return hints;
}

function placeOf({ file, at, cell, index }: Cause): string {
  if (file !== undefined) return at === undefined ? file : `${file} line ${at}`;
  return cell === undefined ? `line ${index + 1} of the output` : `cell ${cell}`;
}

/** Some servers do not report when a draft expires. */
function until(time: string | null): string {
  return time === null ? '' : `, until ${time}`;
}
