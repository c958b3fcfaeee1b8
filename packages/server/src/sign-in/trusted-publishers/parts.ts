// Dependencies of trusted publishers.
import type { Audit } from '../../audit/record.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Authenticator } from '../authenticator.ts';
import type { CiTokens } from './verify-token.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly ciTokens: CiTokens;
}
