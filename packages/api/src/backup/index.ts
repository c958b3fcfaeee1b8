export {
  DATABASE,
  describeBackup,
  FORMAT,
  isMember,
  isSite,
  NOTE,
  type BackupContents,
  type BackupNote,
} from './backup-note.ts';
export { BackupError, readBackup } from './read-backup.ts';
