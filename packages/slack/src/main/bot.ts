// `npm run bot`: the bot as a process.
import { pino } from 'pino';
import { checkEnvironment, unknownVariables } from './check-environment.ts';
import { ConfigError, loadBotConfig } from './config.ts';
import { startBot } from './start-bot.ts';
import { useProxies } from './use-proxies.ts';

try {
  if (process.argv.length > 2)
    throw new ConfigError(
      `${process.argv[2]} is no setting. Settings are variables: docs/publish/slack.md lists them.`,
    );
  const config = loadBotConfig(process.env);
  useProxies(process.env);
  for (const name of unknownVariables(process.env))
    console.warn(`The variable ${name} is ignored: it names no setting.`);
  const log = pino({ level: config.logLevel, redact: ['*.key', '*.token', 'err.data', 'err.original'] });
  const bot = await startBot({ config, log });
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    bot[Symbol.asyncDispose]().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  console.log(`The Slack bot of ${config.server} listens on ${bot.url}`);
  // These checks may finish after the start.
  for (const problem of await checkEnvironment(config)) log.warn(problem);
} catch (error) {
  console.error(`Could not start the bot: ${(error as Error).message}`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
