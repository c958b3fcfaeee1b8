// Runs the helper that asks PAM: one process per attempt, with limits on concurrency and time.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pLimit from 'p-limit';
import { descendantsOf, look, send } from '../../../runtime/sandbox/descendants.ts';
import type { AskPam, PamAnswer } from '../../../runtime/sandbox/supervisor/supervisor.ts';

export interface PamHelper extends AsyncDisposable {
  /** Refused: a wrong password, or an account that may not sign in. @throws if PAM cannot be asked */
  readonly authenticate: AskPam;
}

const HELPER = join(import.meta.dirname, 'pam-helper.js');
const AT_ONCE = 8;
const TIME_LIMIT_MS = 30_000;

/** @param timeLimit milliseconds */
export function createPamHelper(service: string, timeLimit = TIME_LIMIT_MS): PamHelper {
  /** Stop functions of running helpers. */
  const running = new Set<() => Promise<void>>();
  const oneOfFew = pLimit(AT_ONCE);

  async function run(input: object): Promise<PamAnswer | { failed: string }> {
    const child = spawn(process.execPath, [HELPER], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { LANG: 'C.UTF-8' },
    });
    const gone = Promise.withResolvers<never>();
    // It may be rejected before anybody awaits it.
    gone.promise.catch(() => undefined);
    child.once('error', gone.reject);
    const end = () => {
      gone.reject(new Error('PAM did not respond in time'));
      return endWithChildren(child.pid);
    };
    running.add(end);
    const limit = setTimeout(() => void end(), timeLimit);
    try {
      // Node creates no pipes if it runs out of file descriptors.
      const { stdin, stdout } = child as Partial<typeof child>;
      stdin?.on('error', () => undefined).end(JSON.stringify(input));
      const output = await (stdout ? Promise.race([text(stdout), gone.promise]) : gone.promise);
      if (output === '') throw new Error('a PAM module crashed, or ended the process that asked');
      return JSON.parse(output) as PamAnswer | { failed: string };
    } finally {
      clearTimeout(limit);
      running.delete(end);
    }
  }

  return {
    async authenticate(username, password) {
      const response = await oneOfFew(() => run({ service, username, password }));
      if ('failed' in response) throw new Error(`PAM: ${response.failed}`);
      return response;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((end) => end()));
    },
  };
}

/** PAM modules may start programs in sessions of their own, which would outlive it. */
async function endWithChildren(pid: number | undefined): Promise<void> {
  const helper = pid === undefined ? null : await look(pid);
  for (const one of helper ? await descendantsOf(helper) : []) send(one, 'SIGKILL');
}
