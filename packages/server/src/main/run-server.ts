// The first step of a start: settings, then the server in a process of its own account if root starts it.
import { createReadStream } from 'node:fs';
import { reasonOf } from '../platform/errors.ts';
import { createRemoteStarter } from '../runtime/sandbox/supervisor/remote-starter.ts';
import { closeInherited } from './close-inherited.ts';
import { ConfigError, loadConfig, unknownVariables } from './config/load-config.ts';
import { tooOld } from './config/node-version.ts';
import { processNumber, settingsOfProcess } from './one-of-several.ts';
import { runProcesses } from './processes.ts';
import { HANDOVER_FD, readHandover, separate, SERVING } from './separate.ts';
import type { StartOptions } from './start-server.ts';

/** EX_CONFIG: restarting does not help. The systemd unit handles this code. */
const WRONG_SETTINGS = 78;

type Serving = Pick<StartOptions, 'config' | 'settingsFile' | 'starter' | 'askPam' | 'whyNotSeparated'>;

/**
 * Calls `serve` with the options of a server. Failures are printed, and the process exits with 1, or with 78 for
 * settings.
 * @param script this program's own file, to be started again as the serving account
 */
export async function runServer(script: string, serve: (options: Serving) => Promise<void>): Promise<void> {
  // Node would open a debugger, of root as well, to which content and every account of the machine can connect.
  process.on('SIGUSR1', () =>
    console.log('SIGUSR1 is ignored: the log goes to standard output, nothing is reopened.'),
  );
  try {
    const old = tooOld(process.versions.node);
    if (old !== null) throw new Error(old);
    if (process.env[SERVING] === '1') {
      const { config, settingsFile, supervisor } = await readHandover(
        createReadStream('', { fd: HANDOVER_FD }),
      );
      const starter = await createRemoteStarter(supervisor);
      await serve({ config, settingsFile: settingsFile ?? undefined, starter, askPam: starter.askPam });
      return;
    }
    const [argument] = process.argv.slice(2);
    if (argument !== undefined) throw new ConfigError(noArguments(argument));
    const loaded = loadConfig(process.env);
    const number = processNumber();
    if (number === null && loaded['Server.Processes'] > 1) {
      process.exitCode = await runProcesses(script, loaded);
      return;
    }
    const config = number === null ? loaded : settingsOfProcess(loaded, number);
    for (const name of number === null || number === 1 ? unknownVariables(process.env) : [])
      console.warn(`The variable ${name} is ignored: it names no setting.`);
    const settingsFile = process.env.PRESSROOM_CONFIG;
    closeInherited();
    if (process.getuid?.() !== 0) {
      await serve({ config, settingsFile });
      return;
    }
    const outcome = await separate(script, config, settingsFile);
    if ('exitCode' in outcome) process.exitCode = outcome.exitCode;
    else await serve({ config, settingsFile, whyNotSeparated: outcome.whyNot });
  } catch (error) {
    console.error(`Pressroom did not start: ${reasonOf(error)}`);
    process.exitCode = error instanceof ConfigError ? WRONG_SETTINGS : 1;
  }
}

const noArguments = (argument: string): string =>
  `${argument} is no setting. Settings are variables such as PRESSROOM_HTTP_LISTEN=127.0.0.1:8080, or in the file that PRESSROOM_CONFIG names. docs/reference/settings.md lists them.`;
