// What the parts of announcing a deploy share: the notice as it is now, who reads for it, and how it is shown.
import type { ClientClock } from '@pressroom/api/client';
import type { BundleCommit } from '@pressroom/api/contract';
import type { Diagnosis, TaskReader } from '@pressroom/api/publish';
import type { Logger } from 'pino';
import type { Notice } from '../store/notices.ts';
import type { Store } from '../store/store.ts';
import type { Texts } from '../texts/en.ts';
import type { LiveDeploy } from './blocks.ts';
import type { Editor } from './editor.ts';
import type { Poster } from './poster.ts';
import type { SlackPort } from './slack-port.ts';

export interface AnnouncerOptions {
  readonly store: Store;
  readonly slack: SlackPort;
  /** Reads the task of a notice with the rights of the person the channel sees it through. */
  readonly readerOf: (notice: Notice) => NoticeReader;
  /** In which language the channel reads. */
  readonly textsOf: (notice: Notice) => Promise<Texts>;
  /** The audit log, with `{task}` in its place; null for no link. */
  readonly auditUrl: string | null;
  readonly clock: ClientClock;
  readonly log: Logger;
  /** Edits a minute in a workspace. */
  readonly budget: number;
  readonly onEdit?: (result: 'done' | 'busy' | 'failed' | 'gone') => void;
  readonly onEnd?: (notice: Notice, deploy: LiveDeploy) => void;
  /** Told that the person a channel sees a deploy through may not see it any more. */
  readonly onLost: (notice: Notice) => Promise<void>;
}

export interface Recorded {
  /** By the clock of the server, in milliseconds; null while it runs. */
  readonly times: { readonly started_time: number; readonly finished_time: number } | null;
  readonly commit: BundleCommit | null;
}

export interface NoticeReader extends TaskReader {
  /** Whether the person may see the content now. @throws when the content server does not tell */
  maySee(): Promise<boolean>;
  /** Whether the last answer about the task left out what the person may not read. */
  readonly isHidden: boolean;
  /** What the server has recorded of a deploy; null where it does not tell. */
  recorded(notice: Notice): Promise<Recorded | null>;
  /** How a deploy without a known task ended; null while that is unknown. */
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
  /** Of the bundle; null where it is of none, or not known yet. */
  commit: BundleCommit | null;
}

/** Stores what changed of the notice. */
export type Save = (changes: Partial<Notice>) => Promise<void>;

/** How often in a row the content server may fail before the end of a deploy counts as unknown: about ten minutes. */
export const PATIENCE = 45;
export const LONGEST_DELAY = 30_000;

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
    state: notice.state,
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
