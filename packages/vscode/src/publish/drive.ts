// Shows the events of one deploy as they come: notification with Cancel, log and state. Returns how it ended.
import type {
  CancelledEvent,
  DeployEvent,
  DoneEvent,
  FailedEvent,
  UnknownEvent,
} from '@pressroom/api/publish';
import { l10n, ProgressLocation, window, type Progress } from 'vscode';
import { explain, oneLine, sentence } from '../ui/explain.ts';
import { countText, hostOf, sizeText, typeText } from '../ui/texts.ts';
import type { Memory } from '../store/memory.ts';
import { CLOSED, type Runs } from '../store/runs.ts';

export interface Log {
  line(text: string): void;
  show(): void;
}

export interface Job {
  readonly dir: string;
  readonly name: string;
  readonly server: string;
  /** The content, where it is known. */
  readonly guid?: string | undefined;
  /** Creates new content even if there is some. */
  readonly asNew?: boolean | undefined;
  /** The title of the notification. */
  readonly title: string;
  /** The bundle is uploaded by this job. */
  readonly ownBundle: boolean;
  /** Stages before the first event are shown by `show`. */
  readonly events: (signal: AbortSignal, show: (stage: string) => void) => AsyncIterable<DeployEvent>;
  /** Gets every line of the task, in addition to the log. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export type Ending = (DoneEvent | FailedEvent | UnknownEvent | CancelledEvent) & {
  readonly lines: readonly string[];
};

const LINES_KEPT = 5000;

export async function drive(
  job: Job,
  { runs, memory, log }: { runs: Runs; memory: Memory; log: Log },
): Promise<Ending> {
  const { dir, name, server } = job;
  const signal = runs.begin({ dir, name, server, text: l10n.t('Starting…') });
  const lines: string[] = [];
  const write = (line: string) => {
    log.line(line);
    job.onLine?.(line);
  };
  write(`${job.title} → ${hostOf(server)}`);
  return window.withProgress(
    { location: ProgressLocation.Notification, title: job.title, cancellable: true },
    async (progress, token) => {
      token.onCancellationRequested(() => runs.cancel(dir));
      const upload: Upload = { sent: 0, whole: 0 };
      const show = reporter(progress, (text) => runs.update(dir, { text }));
      signal.addEventListener('abort', () => show(l10n.t('Cancelling…')), { once: true });
      for await (const event of job.events(signal, show)) {
        switch (event.type) {
          case 'log':
            if (lines.length < LINES_KEPT) lines.push(event.line);
            write(event.line);
            break;
          case 'deploy': {
            const { task_id, guid, bundle_id } = event;
            runs.update(dir, { taskId: task_id });
            memory.begun({ dir, name, server, guid, bundle_id, task_id, ownBundle: job.ownBundle });
            write(l10n.t('Bundle {0}, task {1}', bundle_id, task_id));
            show(l10n.t('Deploying on the server…'));
            break;
          }
          case 'done':
          case 'failed':
          case 'unknown':
          case 'cancelled':
            if (event.type !== 'unknown' && signal.reason !== CLOSED) memory.ended(dir);
            runs.update(dir, stateOf(event));
            for (const line of closing(event)) write(line);
            return { ...event, lines };
          default: {
            if (event.type === 'collect') memory.uploading({ dir, server, guid: job.guid, asNew: job.asNew });
            const text = stage(event, upload);
            if (text !== null) show(text.message, text.fraction);
            for (const line of notes(event)) write(line);
          }
        }
      }
      throw new Error('the deploy ended without a result');
    },
  );
}

/** Messages for the notification; the bar moves only forwards. */
function reporter(
  progress: Progress<{ message?: string; increment?: number }>,
  mirror: (text: string) => void,
) {
  let shown = 0;
  return (message: string, fraction = 0) => {
    const increment = Math.max(0, Math.floor(fraction * 100) - shown);
    shown += increment;
    progress.report({ message, ...(increment > 0 && { increment }) });
    mirror(message);
  };
}

/** Bytes of the archive: handed to the connection, and all of them as far as can be told. */
interface Upload {
  sent: number;
  whole: number;
}

function stage(event: DeployEvent, upload: Upload): { message: string; fraction?: number } | null {
  switch (event.type) {
    case 'read':
      return {
        message: l10n.t('Bundling {0} of {1} files', event.files, event.totalFiles),
        fraction: (event.bytes / Math.max(1, event.totalBytes)) * 0.2,
      };
    case 'collect':
      return { message: l10n.t('Bundling {0}', countText(event.count)) };
    case 'pack':
      // The archive is made while it is sent: what is left of it is taken to shrink as what was packed did.
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

function notes(event: DeployEvent): string[] {
  if (event.type === 'collect') {
    const what = [typeText(event.app_mode), event.entrypoint].filter(Boolean).join(', ');
    const size = `${countText(event.count)}, ${sizeText(event.bytes)}`;
    return [`${what}: ${size}`, ...event.warnings];
  }
  if (event.type === 'warning') return [event.message];
  if (event.type === 'target' && event.created) return [l10n.t('New content {0}', event.name)];
  return [];
}

function stateOf(event: DoneEvent | FailedEvent | UnknownEvent | CancelledEvent) {
  switch (event.type) {
    case 'done':
      return { state: 'done', text: l10n.t('Live'), url: event.url } as const;
    case 'failed':
      return { state: 'failed', text: oneLine(event.cause?.line ?? event.error) } as const;
    case 'unknown':
      return { state: 'unknown', text: l10n.t('May still be deploying') } as const;
    case 'cancelled':
      return { state: 'cancelled', text: l10n.t('Cancelled'), taskId: null } as const;
  }
}

function closing(event: DoneEvent | FailedEvent | UnknownEvent | CancelledEvent): string[] {
  switch (event.type) {
    case 'done':
      return [l10n.t('Live at {0}', event.url), ''];
    case 'failed': {
      const code = event.code === null ? '' : l10n.t(' (code {0})', event.code);
      const why =
        event.failure === undefined
          ? [sentence(event.error + code), event.hint]
          : [explain(event.failure) + code];
      return [l10n.t('Deploy failed: {0}', why.join(' ')), ...event.left, ''];
    }
    case 'unknown':
      return [event.error, event.hint, ''];
    case 'cancelled':
      return [l10n.t('Cancelled.'), ...event.left, ''];
  }
}
