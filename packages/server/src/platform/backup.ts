// A backup for download, between the code that makes it and the code that sends it.

export interface MadeBackup extends AsyncDisposable {
  readonly file: string;
  readonly bytes: number;
}

/** Null while another backup is made or sent. */
export type BackupNow = () => Promise<MadeBackup | null>;
