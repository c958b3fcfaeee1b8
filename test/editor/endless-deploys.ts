// Deploys that run on the server until a test ends them.
import type { Work } from './work.ts';

export interface EndlessDeploys {
  /** Ends them successfully. */
  finish(): void;
  /** Resolves when the editor shows that the deploy is running. */
  begun(): Promise<void>;
  /** Deploys are real again afterwards. */
  restore(): void;
}

let count = 0;

/** Later deploys run until they are cancelled, or until `finish`. */
export function endlessDeploys(work: Work): EndlessDeploys {
  count += 1;
  const mark = `Rendering ${count}`;
  const { deploys, tasks } = work.server.running.services;
  const own = deploys.run;
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  deploys.run = (id) =>
    tasks.run(id, async ({ log, signal }) => {
      log(`${mark}, chunk 1 of 2`);
      const stopped = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      await Promise.race([finished, stopped]);
      log(`${mark}, chunk 2 of 2`);
      return async () => undefined;
    });
  return {
    finish,
    begun: () =>
      work.editor.until(
        (vs, line) =>
          vs.workspace.textDocuments.some((d) => d.uri.scheme === 'output' && d.getText().includes(line)),
        `${mark}, chunk 1 of 2`,
      ),
    restore: () => {
      deploys.run = own;
    },
  };
}
