// One request of an admitted visitor to an application.
import type { ApplicationEngine } from '../../runtime/kinds/index.ts';
import type { Pool } from '../../runtime/pool/pool.ts';
import type { Scheduling } from '../../runtime/pool/scheduling.ts';
import type { Caller } from '../../sign-in/authenticator.ts';

/** One request of an admitted visitor to an application. */
export interface Visit {
  readonly contentGuid: string;
  readonly bundleId: number;
  /** Visits of drafts do not count as usage. */
  readonly isDraft: boolean;
  readonly engine: ApplicationEngine;
  /** Read at each use: one whose last process has ended is replaced. */
  readonly pool: Pool;
  /** Whether another process may start, counting those of other servers. */
  readonly mayStart: () => Promise<boolean>;
  readonly scheduling: () => Scheduling;
  readonly caller: Caller | null;
  readonly groups: readonly string[];
  /** For content that may act for its visitors; null for none. */
  readonly sessionToken: string | null;
  /** Address of the content as its visitors see it, without a trailing slash. */
  readonly url: string;
  /** Whether no other content shares its origin. */
  readonly isAlone: boolean;
  /** Content-Security-Policy added to that of its pages. */
  readonly policy: string | null;
  readonly remoteAddress: string;
  /** Path relative to the content, with the query. */
  readonly path: string;
  /** @throws if the visitor has lost access. */
  readonly check: () => Promise<unknown>;
}
