// Settings that a start checks beyond their format: the sign-in provider, the receivers of the audit log.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sinksOf } from '../../audit/sinks.ts';
import { eventReceivers } from '../../events/send.ts';
import { systemClock } from '../../platform/clock.ts';
import { openStorage } from '../../platform/database/storage.ts';
import { messageOf } from '../../platform/errors.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import type { AskPam } from '../../runtime/sandbox/supervisor/supervisor.ts';
import { createPasswords } from '../../sign-in/passwords/passwords.ts';
import { createProvider } from '../../sign-in/providers/index.ts';
import { missingService } from '../../sign-in/providers/pam/missing-service.ts';
import type { Config } from '../config/settings.ts';
import { bad, good, type Finding } from './finding.ts';

interface SignInParts {
  /** If the server may not ask PAM itself. */
  readonly askPam?: AskPam | undefined;
  /** Where PAM looks for its services. */
  readonly pamDirectories?: readonly string[];
}

export async function checkSignIn(
  config: Config,
  { askPam, pamDirectories }: SignInParts = {},
): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    sinksOf(config);
  } catch (error) {
    findings.push(bad('Audit log', messageOf(error), 'Correct the settings of Audit.'));
  }
  try {
    eventReceivers(config);
  } catch (error) {
    findings.push(bad('Events', messageOf(error), 'Correct the settings of Events.'));
  }
  const kind = config['Authentication.Provider'];
  // A temporary database: nothing is written to the server's.
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-doctor-'));
  try {
    await using storage = await openStorage(join(directory, 'empty.sqlite'));
    const secrets = createSecrets(randomBytes(32).toString('base64'));
    const parts = {
      config,
      storage,
      secrets,
      passwords: createPasswords(),
      clock: systemClock(),
      askPam,
    };
    await using provider = await createProvider(parts);
    await provider.reach?.();
    const missing = kind === 'pam' ? missingService(config['PAM.Service'], pamDirectories) : null;
    findings.push(
      missing === null
        ? good('Sign-in', provider.reach ? `${kind}, which answers` : kind)
        : bad('Sign-in', missing, 'Write it (docs/secure/sign-in.md, PAM), or correct the setting.'),
    );
  } catch (error) {
    findings.push(
      bad('Sign-in', `${kind}: ${reasonOf(error)}`, 'Correct its settings: docs/secure/sign-in.md.'),
    );
  } finally {
    await rm(directory, { recursive: true });
  }
  return findings;
}

/** Includes the cause, which people who sign in are not shown. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)} (${reasonOf(cause)})`;
}
