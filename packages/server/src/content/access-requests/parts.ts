// Dependencies of requests for access.
import type { Logger } from 'pino';
import type { Audit } from '../../audit/record.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Mailer } from '../../platform/mailer.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly log: Logger;
  readonly mailer: Mailer | null;
  readonly contentChanged: (guid: string) => void;
}
