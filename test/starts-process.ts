// Distinguishes tests that start processes from those that need only Node.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Code that starts one, or a helper that does. */
const STARTS =
  /'node:child_process'|'@pressroom\/testkit|\b(startBench|createBackup|createStarter|createLocalStarter|makeCertificates|createInstallations|probeIsolation|runProcesses)\b/;

/** Files of a pattern whose code starts processes. */
export function startsProcess(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).filter((file) =>
    STARTS.test(readFileSync(join(root, file), 'utf8')),
  );
}
