// PAM services for tests: files in /etc/pam.d, which require root.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KNOWN_PEOPLE } from '@pressroom/testkit';

export interface PamService extends Disposable {
  readonly name: string;
}

/** A file in /etc/pam.d, removed after the test. */
export function makeService(rules: string): PamService {
  const name = `pressroom-test-${randomBytes(6).toString('hex')}`;
  const file = `/etc/pam.d/${name}`;
  writeFileSync(file, rules);
  return { name, [Symbol.dispose]: () => rmSync(file) };
}

/** A service that checks the known people with a script, without accounts of the machine. */
export function makeKnownService(): PamService {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-pam-'));
  const script = join(directory, 'check');
  const cases = Object.values(KNOWN_PEOPLE).map(
    (person) => `'${person.username}:${person.password}') exit 0;;`,
  );
  writeFileSync(
    script,
    `#!/bin/sh\ncase "$PAM_USER:$(tr -d '\\000')" in\n${cases.join('\n')}\nesac\nexit 1\n`,
  );
  chmodSync(script, 0o755);
  const service = makeService(
    `auth [success=1 default=ignore] pam_exec.so expose_authtok quiet ${script}\n` +
      'auth requisite pam_deny.so\nauth required pam_permit.so\naccount required pam_permit.so\n',
  );
  return {
    name: service.name,
    [Symbol.dispose]() {
      service[Symbol.dispose]();
      rmSync(directory, { recursive: true });
    },
  };
}
