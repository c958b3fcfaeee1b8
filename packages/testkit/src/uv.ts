// uv, which installs Python packages in a third of pip's time.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const UV_VERSION = '0.9.5';

/**
 * uv from PyPI, kept for the next run on this machine; null if PyPI is unreachable, except in CI. It is not among
 * Debian's packages.
 */
export async function fetchUv(): Promise<string | null> {
  const directory = join(tmpdir(), `pressroom-test-uv-${UV_VERSION}`);
  const file = join(directory, 'bin/uv');
  if (existsSync(file)) return file;
  const fetched = await mkdtemp(`${directory}-`);
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', fetched, `uv==${UV_VERSION}`];
  const isThere = await run('/usr/bin/python3', args).then(
    () => true,
    async (error: unknown) => {
      await rm(fetched, { recursive: true });
      if (process.env.CI) throw error;
      return false;
    },
  );
  if (!isThere) return null;
  await chmod(fetched, 0o755);
  // Another test may have been faster.
  await rename(fetched, directory).catch(() => rm(fetched, { recursive: true }));
  return file;
}
