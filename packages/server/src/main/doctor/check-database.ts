// The database: whether it can be opened, is intact, and was not written by a newer version. Changes nothing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasArchives } from '../../platform/blobs/directory-blob-store.ts';
import { MIGRATIONS } from '../../platform/database/migrations.ts';
import { inspectServer } from '../../platform/database/postgres/inspect.ts';
import { CONNECTIONS, problemOf, problemOfFailure } from '../../platform/database/postgres/requirements.ts';
import { inspectFile } from '../../platform/database/sqlite/copy.ts';
import { messageOf } from '../../platform/errors.ts';
import { isRestoreUnfinished } from '../../platform/unfinished-restore.ts';
import type { Config } from '../config/settings.ts';
import { missingDirectory } from '../open-blobs.ts';
import { bad, good, warning, type Finding } from './finding.ts';

const WHAT = 'Database';
const RESTORE = 'Stop the server and restore a backup: npm run restore -- FILE.';

/** How far clocks may be apart. */
const CLOCK_SECONDS = 60;

/** @param dataDir absolute */
export async function checkDatabase(config: Config, dataDir: string): Promise<Finding> {
  const url = config['Database.URL'];
  if (isRestoreUnfinished(dataDir))
    return bad(
      WHAT,
      `a restore to ${dataDir} did not end, and files are missing`,
      'Run it again: npm run restore -- FILE.',
    );
  const others = bundlesOfAnother(join(dataDir, 'bundles'));
  return url === ''
    ? checkFile(join(dataDir, 'pressroom.sqlite'), others)
    : await checkServer(config, join(dataDir, 'bundles'), others);
}

/** Prevents starting over with an empty database: its server would treat the bundles as leftovers. */
function bundlesOfAnother(directory: string): Finding | null {
  return hasArchives(directory)
    ? bad(
        WHAT,
        `it is empty, but ${directory} has bundles of another one`,
        'Copy that database first (npm run move-database, pg_restore), see that Database.URL is right, or name an empty Server.DataDir.',
      )
    : null;
}

function checkFile(file: string, others: Finding | null): Finding {
  if (!existsSync(file)) return others ?? good(WHAT, `SQLite; ${file} will be made`);
  try {
    const { isWhole, steps, hasPeople } = inspectFile(file);
    if (!hasPeople && others) return others;
    return isWhole ? ofVersion(steps, `SQLite, ${file}`) : bad(WHAT, `${file} is damaged`, RESTORE);
  } catch (error) {
    const isDamaged = /not a database|malformed/.test(messageOf(error));
    const remedy = isDamaged ? RESTORE : 'Run this as the account that starts the server.';
    return bad(WHAT, `${file}: ${messageOf(error)}`, remedy);
  }
}

async function checkServer(config: Config, bundles: string, others: Finding | null): Promise<Finding> {
  const url = config['Database.URL'];
  // Neither the password nor the rest of the address is printed.
  const { host } = new URL(url);
  try {
    const state = await inspectServer(url);
    const problem = problemOf(state);
    if (problem) return bad(WHAT, `PostgreSQL at ${host}: ${problem.message}`, problem.remedy);
    const { version, steps, connections, hasPeople, hasBundles, time } = state;
    if (hasBundles && config['Storage.Type'] !== 's3' && !existsSync(bundles))
      return bad(WHAT, missingDirectory(bundles), 'If the bundles are lost, make the directory.');
    const ahead = Math.round((Date.now() - time) / 1000);
    if (Math.abs(ahead) > CLOCK_SECONDS)
      return warning(
        WHAT,
        `the clock of this machine is ${Math.abs(ahead)} seconds ${ahead > 0 ? 'ahead of' : 'behind'} that of PostgreSQL at ${host}`,
        'Set both by NTP: sessions, links and schedules of several servers need the same time.',
      );
    const used = CONNECTIONS.all * config['Server.Processes'];
    if (connections < used)
      return warning(
        WHAT,
        `PostgreSQL ${version} at ${host} allows ${connections} connections, and a server uses ${used}`,
        'Raise max_connections, or the limit of the account or the database.',
      );
    return (!hasPeople && others) || ofVersion(steps, `PostgreSQL ${version} at ${host}`);
  } catch (error) {
    const { message, remedy } = problemOfFailure(error);
    return bad(WHAT, `PostgreSQL at ${host}: ${message}`, remedy);
  }
}

function ofVersion(steps: number, message: string): Finding {
  if (steps > MIGRATIONS.length)
    return bad(
      WHAT,
      `${message}: it was written by a newer version`,
      'Start that version, or restore a backup of this one.',
    );
  const left = MIGRATIONS.length - steps;
  return good(WHAT, steps > 0 && left > 0 ? `${message}; the next start brings it up to date` : message);
}
