// `npm run cluster`: several servers on this machine with everything they share, and the examples published, until
// Ctrl-C. `npm run cluster -- static-page` publishes only these; `--directory` uses no S3 store.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { runInOwnGroup } from '../own-group.ts';

const PORT = 3939;

if (!process.connected) process.exit(await runInOwnGroup(import.meta.filename));
const port = Number(process.env.PRESSROOM_CLUSTER_PORT ?? PORT);
if (!(await isFree(port))) {
  // Another listener would be taken for the proxy, and get an administrator with a known password.
  console.error(
    `Port ${port} is in use: stop what listens there, or set PRESSROOM_CLUSTER_PORT to another port.`,
  );
  process.exit(1);
}
// Loading the server takes a second: only where it is used.
const { runCluster } = await import('./run-cluster.ts');
await runCluster(process.argv.slice(2), port);
// The channel to the parent process would keep it running.
process.exit(0);

async function isFree(wanted: number): Promise<boolean> {
  const server = createServer().listen(wanted, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
