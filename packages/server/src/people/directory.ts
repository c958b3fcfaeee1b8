// The directory for remote searches: a port implemented by the LDAP and OAuth2 providers.
import { errors } from '@pressroom/api/contract';

export interface RemotePerson {
  readonly unique_id: string;
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

export interface RemoteGroup {
  readonly unique_id: string;
  readonly name: string;
}

export interface Directory {
  /** People whose username or name starts with the prefix, case-insensitive. */
  searchPeople(prefix: string, limit: number): Promise<RemotePerson[]>;
  searchGroups(prefix: string, limit: number): Promise<RemoteGroup[]>;
}

/** @throws ApiError 63 if there is no directory, or it does not respond. */
export async function askDirectory<T>(
  directory: Directory | null,
  ask: (directory: Directory) => Promise<T>,
): Promise<T> {
  if (!directory) throw errors.ldapFailed({ message: 'no directory is configured on this server' });
  try {
    return await ask(directory);
  } catch (cause) {
    throw errors.ldapFailed({ cause });
  }
}
