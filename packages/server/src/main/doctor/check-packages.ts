// Package repositories: whether those in the settings, or in the configuration of R and pip, respond.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errnoOf, messageOf } from '../../platform/errors.ts';
import { answerOf, createInstallations, type Installations } from '../../runtime/installations.ts';
import { packageSource, readCredentials, type Credentials } from '../../runtime/restore/package-source.ts';
import { listOf } from '../config/setting-kinds.ts';
import type { Config } from '../config/settings.ts';
import { installationsOf } from './check-engines.ts';
import { good, warning, type Finding } from './finding.ts';

type Lists = Pick<Installations, 'listR' | 'listPython'>;
type Language = 'R' | 'Python';

const WAIT_MS = 10_000;
const SETTING = { R: 'R.Repository', Python: 'Python.Index' } as const;
const MISSING = new Set([404, 410]);

/** Not required if content needs no additional packages. */
export async function checkPackages(config: Config, given?: Lists): Promise<Finding[]> {
  const { listR, listPython } = given ?? createInstallations(installationsOf(config));
  const [[r], [python]] = [await listR(), await listPython()];
  const credentials = readCredentials(config['Packages.Netrc']);
  const repositories = r ? listOf(config['R.Repository'] || (r.repository ?? 'none')) : [];
  const indexes = python ? listOf(config['Python.Index']) : [];
  const isOfPip = python?.hasPip && indexes.length === 0 && config['Python.FindLinks'] === '';
  const found = await Promise.all([
    ...repositories.map((address) => checkSource('R', address, credentials)),
    ...indexes.map((address) => checkSource('Python', address, credentials)),
    // Repositories of images are queried from inside containers.
    isOfPip && python.imageName === undefined ? checkPip(python.file) : null,
  ]);
  return found.filter((finding) => finding !== null);
}

async function checkSource(
  language: Language,
  given: string,
  credentials: Credentials,
): Promise<Finding | null> {
  if (given === 'none') return null;
  const what = `${language} sources`;
  const { address, authorization } = packageSource(given, credentials);
  const wrong = (message: string, remedy: string) => warning(what, `${address} ${message}`, remedy);
  if (!/^https?:/.test(address)) {
    const path = address.startsWith('file:') ? fileURLToPath(address) : address;
    return existsSync(path) ? good(what, address) : wrong('is not there', `Correct ${SETTING[language]}.`);
  }
  const page = `${address.replace(/\/+$/, '')}/${language === 'R' ? 'src/contrib/PACKAGES.gz' : 'pip/'}`;
  try {
    const headers: Record<string, string> = authorization === null ? {} : { Authorization: authorization };
    const response = await fetch(page, { headers, signal: AbortSignal.timeout(WAIT_MS) });
    await response.body?.cancel();
    const { status, ok } = response;
    // An index may lack pip.
    if (ok || (language === 'Python' && MISSING.has(status))) return good(what, `${address} answers`);
    if (status === 401 || status === 403)
      return wrong(`refuses (${status})`, 'Correct its name and password in Packages.Netrc.');
    return wrong(
      MISSING.has(status) ? 'has no index (src/contrib/PACKAGES.gz)' : `returns ${status}`,
      `Correct ${SETTING[language]}.`,
    );
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return wrong(`does not respond: ${errnoOf(cause) ?? messageOf(cause)}`, nameAnother(language));
  }
}

/** pip itself knows its configured index and proxy. */
async function checkPip(python: string): Promise<Finding> {
  const args = ['-I', '-m', 'pip', 'index', 'versions', 'pip', '--retries', '0', '--timeout', '5'];
  const isFound = /available versions/i.test(await answerOf(python, args, WAIT_MS * 2));
  return isFound
    ? good('Python sources', 'the index that pip is set up with answers')
    : warning('Python sources', 'the index that pip is set up with does not respond', nameAnother('Python'));
}

const nameAnother = (language: Language) =>
  `Set ${SETTING[language]} to one that this machine can reach, or allow it in the firewall. Until then, content can use installed packages only.`;
