// Runs `npm run backup` and `npm run restore` as on the server's machine.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from '@pressroom/testkit';

const MAIN = join(import.meta.dirname, '../../packages/server/src/main');

/** Output and exit code of the command. @param cwd directory of `file` @param by starts the command */
export async function runBackup(
  command: 'backup' | 'restore',
  file: string,
  {
    env,
    cwd,
    by = [],
  }: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly by?: readonly string[];
  },
): Promise<{ code: number; said: string }> {
  const options = { env: { ...COMPILE_CACHE, PATH: process.env.PATH, ...env }, cwd };
  const [program, ...args] = [...by, process.execPath, join(MAIN, `${command}.ts`), file];
  return promisify(execFile)(program ?? '', args, options).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  );
}
