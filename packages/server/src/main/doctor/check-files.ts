// Files named in settings, as readable by the serving account: root, who runs the doctor, can read everything.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { errnoOf, messageOf } from '../../platform/errors.ts';
import { findAccount, isRoot, type Account } from '../../runtime/sandbox/accounts.ts';
import { findTool } from '../../runtime/sandbox/tools.ts';
import type { Config } from '../config/settings.ts';
import { bad, type Finding } from './finding.ts';

const WHAT = 'File';

/** Empty without problems. */
export function checkFiles(config: Config): Finding[] {
  const account = servingAccount(config);
  return filesOf(config).flatMap(([setting, file]) => {
    const problem = problemOf(file, account);
    return problem === null ? [] : [bad(WHAT, `${setting}: ${problem.message}`, problem.remedy)];
  });
}

function filesOf(config: Config): (readonly [setting: string, file: string])[] {
  const provider = config['Authentication.Provider'];
  const certificate = config['SAML.Certificate'];
  const url = config['Database.URL'];
  const ofDatabase = url === '' ? null : new URL(url).searchParams;
  return [
    [
      'SAML.Certificate',
      provider === 'saml' && !certificate.includes('-----BEGIN') ? certificate : '',
    ] as const,
    ['LDAP.CertificateAuthority', provider === 'ldap' ? config['LDAP.CertificateAuthority'] : ''] as const,
    ['Storage.CA', config['Storage.Type'] === 's3' ? config['Storage.CA'] : ''] as const,
    ['Packages.Netrc', config['Packages.Netrc']] as const,
    ...['sslrootcert', 'sslcert', 'sslkey'].map(
      (name) => [`Database.URL, ${name}`, ofDatabase?.get(name) ?? ''] as const,
    ),
  ].filter(([, file]) => file !== '');
}

/** Null if the server runs as the account that starts it. */
function servingAccount(config: Config): Account | null {
  if (process.getuid?.() !== 0) return null;
  const account = findAccount(config['Server.Account']);
  return account && !isRoot(account) ? account : null;
}

function problemOf(file: string, account: Account | null): { message: string; remedy: string } | null {
  const setpriv = findTool('setpriv');
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT')
      return { message: `there is no ${file}`, remedy: 'Correct the setting.' };
    return {
      message: messageOf(error),
      remedy: 'Give the account that starts the server the right to read it.',
    };
  }
  if (account === null || setpriv === null) return null;
  const as = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  if (spawnSync(setpriv, [...as, 'test', '-r', file], { env: { PATH: '/usr/bin:/bin' } }).status === 0)
    return null;
  return {
    message: `the account ${account.name}, which handles requests, cannot read ${file}`,
    remedy: `chgrp ${account.name} ${file} && chmod 640 ${file}; it must be able to enter the directories above, too.`,
  };
}
