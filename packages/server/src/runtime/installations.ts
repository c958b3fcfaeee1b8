// The R and Python installations that content can use, asked once for each server run.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
type Language = 'R' | 'Python';

const PROBES: Record<Language, { command: string; args: string[]; version: RegExp }> = {
  R: {
    command: 'Rscript',
    args: ['--vanilla', '-e', 'cat(as.character(getRversion()))'],
    version: /^(\d[\d.]*)$/m,
  },
  Python: { command: '/usr/bin/python3', args: ['--version'], version: /^Python (\d[\d.]*)/m },
};
const TIMEOUT_MS = 30_000;

const found = new Map<Language, Promise<string[]>>();

/** Versions, as the interpreter itself says them; empty when it is not installed. */
export function findInstallations(language: Language): Promise<string[]> {
  let versions = found.get(language);
  if (!versions) {
    versions = probe(language);
    found.set(language, versions);
  }
  return versions;
}

async function probe(language: Language): Promise<string[]> {
  const { command, args, version } = PROBES[language];
  try {
    const { stdout } = await run(command, args, { timeout: TIMEOUT_MS });
    const match = version.exec(stdout);
    return match ? [match[1]!] : [];
  } catch {
    return [];
  }
}
