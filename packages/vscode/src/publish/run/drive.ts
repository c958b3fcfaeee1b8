// Shows the events of one deploy: a notification with Cancel, log and state. Returns how it ended.
import {
  waitsForApproval,
  type CancelledEvent,
  type DeployEvent,
  type DoneEvent,
  type FailedEvent,
  type UnknownEvent,
} from '@pressroom/api/publish';
import { l10n, ProgressLocation, type Progress } from 'vscode';
import type { Memory, Unfinished } from '../../store/memory.ts';
import { CLOSED, type RunEnd, type Runs } from '../../store/runs.ts';
import { explain, oneLine, sentence } from '../../ui/explain.ts';
import { withProgress } from '../../ui/messages.ts';
import { amountText, countText, hostOf, sizeText, typeText } from '../../ui/texts.ts';

export interface Log {
  line(text: string): void;
  /** For debugging only. */
  trace(text: string): void;
  show(): void;
}

/** Feedback between events of a job. */
export interface Shown {
  /** Shows another stage. */
  stage(text: string): void;
  /** The server does not respond at the moment; the next event ends this. */
  waiting(): void;
}

/** The bundle is live, but the content's page fails. */
export interface BrokenEvent {
  readonly type: 'broken';
  readonly guid: string;
  readonly url: string;
  /** HTTP status of the page. */
  readonly status: number;
  /** Last output of its process. */
  readonly printed: readonly string[];
}

/** Events of a job: of its deploy, and of the visit after it. */
export type JobEvent = DeployEvent | BrokenEvent;

export interface Job {
  readonly dir: string;
  readonly name: string;
  readonly server: string;
  /** Name of the target. */
  readonly target: string;
  /** The content item, if known. */
  readonly guid?: string | undefined;
  /** The content item, created by an earlier attempt, becomes the active target. */
  readonly aims?: boolean | undefined;
  /** Creates new content even if some exists. */
  readonly asNew?: boolean | undefined;
  /** The bundle becomes a draft. */
  readonly draft?: boolean | undefined;
  /** Title of the notification. */
  readonly title: string;
  /** Whether this job uploads the bundle. */
  readonly ownBundle: boolean;
  /** Stages before the first event are shown through `shown`. */
  readonly events: (signal: AbortSignal, shown: Shown) => AsyncIterable<JobEvent>;
  /** Called with each line of the task, in addition to the log. */
  readonly onLine?: ((line: string) => void) | undefined;
}

type EndEvent = DoneEvent | BrokenEvent | FailedEvent | UnknownEvent | CancelledEvent;

export type Ending = EndEvent & {
  readonly lines: readonly string[];
  /** Why the deployment record was not written. */
  readonly warnings: readonly string[];
};

/** The last ones: the reason of a failure is at the end. */
const LINES_KEPT = 5000;

export async function drive(
  job: Job,
  { runs, memory, log }: { runs: Runs; memory: Memory; log: Log },
): Promise<Ending> {
  const { dir, name, server, target, guid: known } = job;
  const signal = runs.begin({ dir, name, server, target, guid: known, text: l10n.t('Starting…') });
  const lines: string[] = [];
  const warnings: string[] = [];
  /** Selects the target again that was active before, and gives the answers back to the next new content. */
  let unaim = () => undefined as void;
  let begun: Unfinished | undefined;
  const write = (line: string) => {
    // Several deploys write to one log.
    log.line(line === '' ? '' : `[${name}] ${line}`);
    job.onLine?.(line);
  };
  write(`${job.title} → ${hostOf(server)}`);
  return withProgress(
    { location: ProgressLocation.Notification, title: job.title, cancellable: true },
    async (progress, token) => {
      token.onCancellationRequested(() => runs.cancel(dir));
      const upload: Upload = { sent: 0, whole: 0 };
      const show = reporter(progress, (text) => runs.show(dir, text));
      signal.addEventListener('abort', () => show.stage(l10n.t('Cancelling…')), { once: true });
      const shown: Shown = {
        stage: (text) => show.stage(text),
        waiting: () => show.aside(l10n.t('Waiting for a response from {0}…', hostOf(server))),
      };
      for await (const event of job.events(signal, shown)) {
        show.resume();
        switch (event.type) {
          case 'log':
            lines.push(event.line);
            if (lines.length > LINES_KEPT) lines.shift();
            write(event.line);
            break;
          case 'deploy': {
            const { task_id, guid, bundle_id } = event;
            runs.reach(dir, task_id, guid);
            // New content becomes the active target; otherwise the choice stays.
            if (job.ownBundle && (job.guid === undefined || job.aims === true)) {
              const [before, choice] = [memory.target(dir), memory.choice(dir)];
              unaim = () => {
                memory.aim(dir, before);
                memory.choose(dir, choice);
              };
              memory.aim(dir, { server, guid });
              // New answers are those for this content, and for no other of the directory.
              const isNew = choice?.server === server && choice.recorded === undefined;
              if (isNew) memory.choose(dir, { ...choice, recorded: guid });
            }
            const { ownBundle, draft } = job;
            begun = { dir, name, server, guid, bundle_id, task_id, ownBundle, draft };
            memory.begun(begun);
            write(l10n.t('Bundle {0}, task {1}', bundle_id, task_id));
            show.stage(l10n.t('Deploying on the server…'));
            break;
          }
          case 'done':
          case 'broken':
          case 'failed':
          case 'unknown':
          case 'cancelled':
            if (event.type !== 'unknown' && signal.reason !== CLOSED) memory.ended(dir);
            if (event.type === 'unknown' && begun && event.forbidden)
              memory.begun({ ...begun, forbidden: true });
            // The new content was deleted.
            if (event.type === 'cancelled' && event.guid === null) unaim();
            runs.end(dir, endOf(event));
            for (const line of closing(event)) write(line);
            return { ...event, lines, warnings };
          default: {
            const { guid, asNew, draft } = job;
            if (event.type === 'warning' && event.isAboutRecord === true) warnings.push(event.message);
            if (event.type === 'collect') memory.uploading({ dir, server, guid, asNew, draft });
            if (event.type === 'target' && event.created)
              memory.uploading({ dir, server, guid, asNew, draft, made: event.guid });
            const text = stage(event, upload);
            if (text !== null) show.stage(text.message, text.fraction);
            for (const line of notes(event)) write(line);
          }
        }
      }
      throw new Error('the deploy ended without a result');
    },
  );
}

/** Messages for the notification; the progress bar never moves back. */
function reporter(
  progress: Progress<{ message?: string; increment?: number }>,
  mirror: (text: string) => void,
) {
  let shown = 0;
  let stage = '';
  let away = false;
  const report = (message: string, increment = 0) => {
    progress.report({ message, ...(increment > 0 && { increment }) });
    mirror(message);
  };
  return {
    stage(message: string, fraction = 0) {
      const increment = Math.max(0, Math.floor(fraction * 100) - shown);
      shown += increment;
      stage = message;
      away = false;
      report(message, increment);
    },
    /** Shows a message instead of the stage for a while. */
    aside(message: string) {
      if (!away) report(message);
      away = true;
    },
    resume() {
      if (away && stage !== '') report(stage);
      away = false;
    },
  };
}

/** Bytes of the archive: sent so far, and the estimated total. */
interface Upload {
  sent: number;
  whole: number;
}

function stage(event: JobEvent, upload: Upload): { message: string; fraction?: number } | null {
  switch (event.type) {
    case 'read':
      return {
        message: l10n.t('Bundling {0} of {1} files', event.files, event.totalFiles),
        fraction: (event.bytes / Math.max(1, event.totalBytes)) * 0.2,
      };
    case 'collect':
      return { message: l10n.t('Bundling {0}', countText(event.count)) };
    case 'pack':
      // The archive is created while it is sent: the rest is assumed to compress like what was packed.
      upload.whole = Math.min(1, event.packed / Math.max(1, event.bytes)) * event.totalBytes;
      return null;
    case 'upload': {
      upload.sent = event.bytes;
      const whole = Math.max(event.total ?? upload.whole, upload.sent);
      return {
        message: l10n.t('Uploading {0} of {1}', sizeText(upload.sent), sizeText(whole)),
        fraction: 0.2 + (upload.sent / Math.max(1, whole)) * 0.6,
      };
    }
    default:
      return null;
  }
}

function notes(event: JobEvent): string[] {
  if (event.type === 'collect') {
    const what = [typeText(event.app_mode), event.entrypoint].filter(Boolean).join(', ');
    return [`${what}: ${amountText(event)}`, ...event.warnings];
  }
  if (event.type === 'warning') return [event.message];
  if (event.type === 'target' && event.created) return [l10n.t('New content {0}', event.name)];
  return [];
}

function endOf(event: EndEvent): RunEnd {
  switch (event.type) {
    case 'done':
      return {
        state: 'done',
        text: doneText(event),
        url: event.url,
      };
    case 'broken':
      return { state: 'failed', text: l10n.t('The page does not open (HTTP {0})', event.status) };
    case 'failed': {
      const why = waitsForApproval(event.failure)
        ? l10n.t('Waiting for approval')
        : oneLine(event.cause?.line ?? event.error);
      return { state: 'failed', text: why };
    }
    case 'unknown':
      return {
        state: 'unknown',
        text: event.ended ? l10n.t('Deployed, result unknown') : l10n.t('May still be deploying'),
      };
    case 'cancelled':
      return { state: 'cancelled', text: l10n.t('Cancelled') };
  }
}

function doneText({ draft, canary }: DoneEvent): string {
  if (draft !== undefined) return l10n.t('Draft ready');
  return canary === undefined ? l10n.t('Live') : l10n.t('Canary with {0} %', canary.share);
}

function closing(event: EndEvent): string[] {
  switch (event.type) {
    case 'done':
      return [
        event.draft !== undefined
          ? l10n.t('Draft at {0}', event.url)
          : event.canary !== undefined
            ? l10n.t('Canary with {0} % of new sessions at {1}', event.canary.share, event.url)
            : l10n.t('Live at {0}', event.url),
        '',
      ];
    case 'broken':
      return [
        l10n.t('Deployed to {0}, but the page returns status {1}.', event.url, event.status),
        ...event.printed,
        '',
      ];
    case 'failed': {
      const code = event.code === null ? '' : l10n.t(' (code {0})', event.code);
      const why =
        event.failure === undefined
          ? [sentence(event.error + code), event.hint]
          : [explain(event.failure) + code];
      return [l10n.t('Deploy failed: {0}', why.join(' ')), ...event.left, ''];
    }
    case 'unknown':
      return [
        event.error,
        event.ended
          ? l10n.t('The deploy has succeeded. To read its result, run "Pressroom: Check Deployment Status".')
          : l10n.t('The deploy may still be running. Run "Pressroom: Check Deployment Status".'),
        '',
      ];
    case 'cancelled':
      return [l10n.t('Cancelled.'), ...event.left, ''];
  }
}
