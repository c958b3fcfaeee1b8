// `npm run serve`: the server with its settings alone.
import { processNumber, tellListening } from './one-of-several.ts';
import { runServer } from './run-server.ts';
import { exitSoon, untilStopped } from './until-stopped.ts';

await runServer(import.meta.filename, async (options) => {
  // A supervisor that runs as root loads no serving code.
  const { startServer } = await import('./start-server.ts');
  const server = await startServer(options);
  // Before its address is told: whoever waits for that may stop it at once.
  const stopped = untilStopped(server);
  const number = processNumber();
  if (number === null) console.log(`Pressroom listens on ${server.url}`);
  else tellListening(server.url);
  const link = (number ?? 1) === 1 ? await server.setUpLink() : null;
  if (link !== null) console.log(`There is no administrator yet. Make the first one at ${link}`);
  await stopped;
  exitSoon();
});
