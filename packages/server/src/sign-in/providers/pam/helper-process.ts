// Runs the helper that asks PAM: one process for each attempt, a few at a time, each with a limit of time.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface PamHelper extends AsyncDisposable {
  /** The account's name; null for a wrong password or an account that may not sign in. @throws when PAM cannot be asked */
  authenticate(username: string, password: string): Promise<string | null>;
}

const HELPER = join(import.meta.dirname, 'pam-helper.js');
const AT_ONCE = 8;
const TIME_LIMIT_MS = 30_000;

export function createPamHelper(service: string): PamHelper {
  const running = new Set<AbortController>();
  const waiting: (() => void)[] = [];

  async function run(input: object): Promise<{ account?: string; refused?: string; failed?: string }> {
    const abort = new AbortController();
    running.add(abort);
    const limit = setTimeout(() => abort.abort(), TIME_LIMIT_MS);
    try {
      const child = spawn(process.execPath, [HELPER], {
        stdio: ['pipe', 'pipe', 'ignore'],
        signal: abort.signal,
        killSignal: 'SIGKILL',
        env: { LANG: 'C.UTF-8' },
      });
      const gone = new Promise<never>((_, reject) => child.once('error', reject));
      child.stdin.on('error', () => undefined).end(JSON.stringify(input));
      const output = await Promise.race([text(child.stdout), gone]);
      return JSON.parse(output) as { account?: string };
    } finally {
      clearTimeout(limit);
      running.delete(abort);
    }
  }

  return {
    async authenticate(username, password) {
      if (running.size >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        const answer = await run({ service, username, password });
        if (answer.failed !== undefined) throw new Error(`PAM: ${answer.failed}`);
        return answer.account ?? null;
      } finally {
        waiting.shift()?.();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const abort of running) abort.abort();
    },
  };
}
