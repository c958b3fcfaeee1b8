// What a backup that is to be downloaded is, for who makes it and who sends it.

export interface MadeBackup extends AsyncDisposable {
  readonly file: string;
  readonly bytes: number;
}

/** Null while another one is being made or sent. */
export type BackupNow = () => Promise<MadeBackup | null>;
