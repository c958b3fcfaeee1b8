// Shared parts of announcing a deploy: current notice, reader, and presentation.
import type { ClientClock } from '@pressroom/api/client';
import type { BundleCommit, TaskEndReason } from '@pressroom/api/contract';
import type { Diagnosis, TaskReader } from '@pressroom/api/publish';
import type { Logger } from 'pino';
import type { Notice } from '../../store/notices.ts';
import type { Store } from '../../store/store.ts';
import type { Texts } from '../../texts/en.ts';
import type { Editor } from '../transport/editor.ts';
import type { Poster } from '../transport/poster.ts';
import type { SlackPort } from '../transport/slack-port.ts';
import type { LiveDeploy } from './blocks.ts';

export interface AnnouncerOptions {
  readonly store: Store;
  readonly slack: SlackPort;
  /** Reads the task of a notice with the rights of the channel's subscriber. */
  readonly readerOf: (notice: Notice) => NoticeReader;
  /** The channel's language. */
  readonly textsOf: (notice: Notice) => Promise<Texts>;
  /** Audit log address with `{task}` as placeholder; null for no link. */
  readonly auditUrl: string | null;
  readonly clock: ClientClock;
  readonly log: Logger;
  /** Edits per minute and workspace. */
  readonly budget: number;
  readonly onEdit?: (result: 'done' | 'busy' | 'failed' | 'gone') => void;
  readonly onEnd?: (notice: Notice, deploy: LiveDeploy) => void;
  /** Called when the channel's subscriber may no longer see a deploy. */
  readonly onLost: (notice: Notice) => Promise<void>;
}

export interface Recorded {
  /** By the server's clock, in milliseconds; null while it runs. */
  readonly times: { readonly started_time: number; readonly finished_time: number } | null;
  readonly commit: BundleCommit | null;
}

export interface NoticeReader extends TaskReader {
  /** Whether the reader may see the content now. @throws if the content server does not say */
  maySee(): Promise<boolean>;
  /** Whether the last response left out what the reader may not see. */
  readonly isHidden: boolean;
  /** The server's record of a deploy; null if unavailable. */
  recorded(notice: Notice): Promise<Recorded | null>;
  /** Result of a deploy without a known task; null while unknown. */
  outcome(notice: Notice): Promise<'succeeded' | null>;
}

export interface AnnounceContext extends AnnouncerOptions {
  readonly editor: Editor;
  readonly poster: Poster;
  readonly signal: AbortSignal;
}

export interface Announcement {
  notice: Notice;
  readonly reader: NoticeReader;
  readonly texts: Texts;
  lines: string[];
  diagnosis: Diagnosis | null;
  trouble: string;
  /** Commit of the bundle; null if there is none, or not known yet. */
  commit: BundleCommit | null;
}

/** Stores changes of the notice. */
export type Save = (changes: Partial<Notice>) => Promise<void>;

/** Consecutive failures of the content server after which the end of a deploy counts as unknown: about ten minutes. */
export const MAX_FAILURES = 45;
export const MAX_DELAY_MS = 30_000;

/** How a deploy ended, as people are told. Older servers report no reason. */
export function outcomeOf<State>({
  state,
  end_reason,
}: {
  readonly state: State;
  readonly end_reason: TaskEndReason | null;
}): State | TaskEndReason {
  return end_reason ?? state;
}

/** Whether people must act: what somebody cancelled is no failure. */
export function isFailure(notice: Pick<Notice, 'state' | 'end_reason'>): boolean {
  return ['failed', 'interrupted'].includes(outcomeOf(notice));
}

export function liveOf(
  { clock, auditUrl }: AnnounceContext,
  { notice, lines, diagnosis, trouble, commit }: Announcement,
): LiveDeploy {
  return {
    id: notice.id,
    content: notice.content,
    title: notice.title,
    url: notice.url,
    bundle: notice.bundle,
    previous: notice.previous,
    task: notice.task,
    who: notice.who,
    via: notice.via,
    starter: notice.slack_user,
    state: outcomeOf(notice),
    phase: notice.phase,
    elapsed: ((notice.finished_time ?? clock.now()) - notice.started_time) / 1000,
    lines,
    lineCount: notice.line_count,
    error: notice.error,
    trouble,
    diagnosis,
    commit,
    plans: false,
    auditUrl: notice.task === null ? null : (auditUrl?.replace('{task}', notice.task) ?? null),
  };
}
