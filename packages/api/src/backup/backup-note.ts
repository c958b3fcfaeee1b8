// The file of a backup: a tar archive that ends with a note of what is in it, so that one that was cut off is known.

/** The last member. */
export const NOTE = 'backup.json';
export const DATABASE = 'pressroom.sqlite';
/** The number grows when older versions could not restore it. */
export const FORMAT = 1;

export interface BackupNote {
  readonly format: number;
  /** RFC 3339. */
  readonly created: string;
  /** Of the server. */
  readonly version: string;
  /** `elsewhere`: PostgreSQL, which is backed up by its own tools. */
  readonly database: 'sqlite' | 'elsewhere';
  /** Where bundles are: `elsewhere` is an S3 store, which is backed up by its own means; absent in older backups. */
  readonly bundles?: 'here' | 'elsewhere';
  /** The key that secrets are encrypted with: in `secret.key`, or in the setting `Secrets.Key`, which is not in the backup. */
  readonly key: 'file' | 'setting';
  /** Shows that a key is the one: a code over `created`. */
  readonly key_check: string;
  /** Paths of deployed files that were removed while the backup was made. */
  readonly incomplete: readonly string[];
}

export interface BackupContents {
  readonly note: BackupNote;
  readonly bundles: number;
  /** Deployed versions of content. */
  readonly sites: number;
}

/** What is in it and what is not, a line for each, for whoever has to keep it. */
export function describeBackup({ note, bundles, sites }: BackupContents): string[] {
  return [
    ...(note.database === 'sqlite'
      ? ['  the database: users, groups, permissions, variables, schedules, tasks, visits, the audit log']
      : [
          '  NOT the database: it is in PostgreSQL. Back it up first, then the files:',
          '    pg_dump --format=custom --file=FILE.dump "$PRESSROOM_DATABASE_URL"',
        ]),
    note.bundles === 'elsewhere'
      ? '  NOT the bundles: they are in the S3 store. Copy the bucket, or keep versions of it'
      : `  ${bundles} bundles, and the files of ${sites} deployed content items`,
    note.key === 'file'
      ? '  secret.key, which decrypts the variables: protect the file like the server'
      : '  NOT the key: it is the setting Secrets.Key. Keep a copy: without it variables cannot be decrypted',
  ];
}

/** What may stand in a backup; nothing that leads out of the data directory. */
const MEMBER =
  /^(backup\.json|pressroom\.sqlite|secret\.key|admin-key|admin-password|bundles\/\d+\.tar\.gz|content\/[0-9a-f-]{36}\/[^/].*)$/s;

export function isMember(name: string): boolean {
  return MEMBER.test(name) && !name.split('/').includes('..');
}
