// What the processes of an application know about their deploy.
import type { ContentRow } from '../content/store.ts';

/** The deploy that a process is started for; it may change meanwhile. */
export interface StartedFor {
  readonly content: ContentRow;
  readonly site: string;
  /** Aborted when its processes are no longer wanted, including those that wait for packages. */
  readonly ending: AbortController;
  /** Pending records of ended processes. */
  readonly closings: Set<Promise<void>>;
  /** Also receives the first process's output. */
  readonly print: ((line: string) => void) | null;
  readonly onTrial: boolean;
  /** Belongs to a draft beside the active deploy, and ends with it. */
  readonly isDraft: boolean;
}
