// OpenID Connect has no search. A full e-mail address finds whoever will sign in with it, verified: accounts can be
// created before their owner's first visit.
import { listOf } from '../../../main/config/setting-kinds.ts';
import type { Config } from '../../../main/config/settings.ts';
import type { Directory } from '../../../people/directory.ts';
import { findUsersByEmail } from '../../../people/store.ts';
import type { Storage } from '../../../platform/database/storage.ts';

const ADDRESS = /^[\p{L}\p{N}_][\p{L}\p{N}_.+-]{0,40}@([A-Za-z0-9-]{1,30}\.)+[A-Za-z]{2,20}$/u;

const INVITED = 'email:';

/** Placeholder until the provider's own id is known. */
export function invitationId(email: string): string {
  return INVITED + email.toLowerCase();
}

export function isInvitationId(id: string): boolean {
  return id.startsWith(INVITED);
}

/** Whether a person with this address may sign in. */
export function mayHave(config: Config, email: string, verified: boolean): boolean {
  const wanted = listOf(config['OAuth2.AllowedDomains'].toLowerCase());
  return wanted.length === 0 || (verified && wanted.includes(email.toLowerCase().split('@').at(-1)!));
}

export function createInvitations(config: Config, storage: Storage): Directory {
  return {
    async searchPeople(prefix) {
      const email = prefix.trim();
      if (!ADDRESS.test(email) || !mayHave(config, email, true)) return [];
      if ((await findUsersByEmail(storage.db, email)).length > 0) return [];
      return [{ unique_id: invitationId(email), username: email, email, first_name: '', last_name: '' }];
    },
    searchGroups: async () => [],
  };
}
