// Runs one check of the doctor: with a time limit, exceptions as findings, and no secrets in messages.
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../platform/errors.ts';
import { createMask } from '../../tasks/mask.ts';
import { SETTINGS, type Config } from '../config/settings.ts';
import { warning, type Finding } from './finding.ts';

export type Check = readonly [what: string, check: () => Promise<readonly Finding[]>];

/** Without a time limit. Never rejects. @param ofFailure for a check that throws */
export async function findingsOf([what, check]: Check, ofFailure = warning): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [ofFailure(what, messageOf(error), '')];
  }
}

/** @param limit milliseconds; slower ones are a warning */
export async function within(
  limit: number,
  what: string,
  findings: Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const late = [
    warning(what, `no response within ${limit / 1000} seconds`, 'Try again; see the log of the server.'),
  ];
  const over = new AbortController();
  const timer = delay(limit, late, { signal: over.signal });
  return Promise.race([findings, timer]).finally(() => over.abort());
}

/** Removes the secrets in the settings from findings. */
export function withoutSecrets(config: Config): (finding: Finding) => Finding {
  const mask = createMask(secretsIn(config));
  return (finding) => ({ ...finding, message: mask(finding.message), remedy: mask(finding.remedy) });
}

/** Secrets that no message may show: an error may quote an address with its password. */
function secretsIn(config: Config): string[] {
  const secret = Object.entries(SETTINGS).filter(([, setting]) => 'secret' in setting);
  const values = secret.map(([name]) => String(config[name as keyof Config]));
  const passwords = [config['Database.URL'], config['Mail.URL']].flatMap((url) => {
    const password = URL.parse(url)?.password ?? '';
    return [password, decoded(password)];
  });
  return [...values, ...passwords, config['Database.URL']].filter((value) => value !== '');
}

/** Keeps an invalid % escape as it is, like those who connect. */
function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
