// One request of an admitted visitor to an application.
import type { ApplicationEngine } from '../../runtime/kinds/index.ts';
import type { Pool } from '../../runtime/pool/pool.ts';
import type { Scheduling } from '../../runtime/pool/scheduling.ts';
import type { Caller } from '../../sign-in/authenticator.ts';

/** One request of an admitted visitor to an application. */
export interface Visit {
  readonly contentGuid: string;
  readonly bundleId: number;
  /** Of a draft: it is no use of the content. */
  readonly isDraft: boolean;
  readonly engine: ApplicationEngine;
  readonly pool: Pool;
  /** Whether it may have another process, with those of other servers. */
  readonly mayStart: () => Promise<boolean>;
  readonly scheduling: () => Scheduling;
  readonly caller: Caller | null;
  readonly groups: readonly string[];
  /** Address of the content as its visitors see it, without a slash at the end. */
  readonly url: string;
  /** No other content is served on its origin. */
  readonly isAlone: boolean;
  /** Content-Security-Policy that its pages get beside their own. */
  readonly policy: string | null;
  readonly remoteAddress: string;
  /** Path behind the content's own, with the query. */
  readonly path: string;
  /** @throws when the visitor may not be here any more. */
  readonly check: () => Promise<unknown>;
}
