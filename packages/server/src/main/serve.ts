// `npm run serve`: the server with its settings alone.
import { runServer } from './run-server.ts';
import { untilStopped } from './until-stopped.ts';

await runServer(import.meta.filename, async (options) => {
  // A supervisor that runs as root loads no serving code.
  const { startServer } = await import('./start-server.ts');
  const server = await startServer(options);
  console.log(`Pressroom listens on ${server.url}`);
  const link = await server.setUpLink();
  if (link !== null) console.log(`There is no administrator yet. Make the first one at ${link}`);
  await untilStopped(server);
});
