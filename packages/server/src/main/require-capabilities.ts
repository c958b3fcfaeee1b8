// Root in a container may have few permissions: a supervisor that cannot switch accounts or end processes must not start.
import { readFileSync } from 'node:fs';

const LOWEST = ['CHOWN', 'DAC_OVERRIDE', 'DAC_READ_SEARCH', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID'];
const OPTIONAL = 'DAC_READ_SEARCH';

/** @throws an Error that names the missing ones */
export function requireCapabilities(): void {
  const status = readFileSync('/proc/self/status', 'utf8');
  const effective = Number.parseInt(/^CapEff:\s*\w*(\w\w)$/m.exec(status)?.[1] ?? 'ff', 16);
  const missing = LOWEST.filter((name, bit) => name !== OPTIONAL && (effective & (1 << bit)) === 0);
  if (missing.length > 0)
    throw new Error(`root lacks capabilities here: give the container ${missing.join(', ')} (--cap-add)`);
}
