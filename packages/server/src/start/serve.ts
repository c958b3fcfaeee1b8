// `npm run serve`: the server from its settings alone.
import { loadConfig } from '../config/load-config.ts';
import { startServer } from './start-server.ts';
import { untilStopped } from './until-stopped.ts';

try {
  const server = await startServer({
    config: loadConfig(process.env),
    settingsFile: process.env.PRESSROOM_CONFIG,
  });
  console.log(`Pressroom listens on ${server.url}`);
  const link = await server.setUpLink();
  if (link !== null) console.log(`There is no administrator yet. Make the first one at ${link}`);
  await untilStopped(server);
} catch (error) {
  console.error(`Pressroom did not start: ${(error as Error).message}`);
  process.exitCode = 1;
}
