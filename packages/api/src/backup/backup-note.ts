// The backup file: a tar archive that ends with a note of its contents, so that truncation is detected.

/** The last member. */
export const NOTE = 'backup.json';
export const DATABASE = 'pressroom.sqlite';
/** Increased when older versions cannot restore it. */
export const FORMAT = 1;

export interface BackupNote {
  readonly format: number;
  /** RFC 3339. */
  readonly created: string;
  /** Version of the server. */
  readonly version: string;
  /** `elsewhere`: PostgreSQL, which has its own backup tools. */
  readonly database: 'sqlite' | 'elsewhere';
  /** `elsewhere`: an S3 store, which is backed up separately; absent in older backups. */
  readonly bundles?: 'here' | 'elsewhere';
  /** The encryption key: in `secret.key`, or in the setting `Secrets.Key`, which is not part of the backup. */
  readonly key: 'file' | 'setting';
  /** Verifies that a key is the right one: a code over `created`. */
  readonly key_check: string;
  /** Paths of deployed files that were removed during the backup, or could not be read. */
  readonly incomplete: readonly string[];
}

export interface BackupContents {
  readonly note: BackupNote;
  readonly bundles: number;
  /** Number of deployed versions. */
  readonly sites: number;
}

/** Describes what is in it and what is not, one line each, for the person who keeps it. */
export function describeBackup({ note, bundles, sites }: BackupContents): string[] {
  return [
    ...(note.database === 'sqlite'
      ? ['  the database: users, groups, permissions, variables, schedules, tasks, visits, the audit log']
      : [
          '  NOT the database: it is in PostgreSQL. Back it up first, then the files, with the address of Database.URL:',
          '    pg_dump --format=custom --file=FILE.dump "${PRESSROOM_DATABASE_URL:?}"',
        ]),
    note.bundles === 'elsewhere'
      ? '  NOT the bundles: they are in the S3 store. Copy the bucket, or keep versions of it'
      : `  ${bundles} bundles, and the files of ${sites} deployed content items`,
    ...(note.incomplete.length > 0
      ? [
          `  NOT the files of ${note.incomplete.length} more, which could not be read: a restore deploys them again`,
        ]
      : []),
    note.key === 'file'
      ? '  secret.key, which decrypts the variables: protect the file like the server'
      : '  NOT the key: it is the setting Secrets.Key. Keep a copy: without it variables cannot be decrypted',
  ];
}

/** Accepted members; none outside the data directory. */
const MEMBER =
  /^(backup\.json|pressroom\.sqlite|secret\.key|admin-key|admin-password|bundles\/\d+\.tar\.gz|content\/[0-9a-f-]{36}\/[^/].*)$/s;

export function isMember(name: string): boolean {
  return MEMBER.test(name) && !name.split('/').includes('..');
}

/** Whether a path is that of a deployed version: the only ones that a note may name. */
export function isSite(path: string): boolean {
  return isMember(path) && /^content\/[^/]+\/[^/]+$/.test(path);
}
