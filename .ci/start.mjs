// `npm start`: installs what is missing, then runs the server with the examples. `npm start -- --bare` installs no system packages.
import { spawn } from 'node:child_process';
import { commandFor, installPackages } from './apt.mjs';
import { installDependencies, root } from './dependencies.mjs';
import { reachableProgram } from './reachable-program.mjs';
import { ENGINES, missingOf } from './system-packages.mjs';

const BARE = '--bare';
const unknown = process.argv.slice(2).find((argument) => argument !== BARE);
if (unknown === undefined) {
  await installDependencies({ whole: false });
  if (!process.argv.includes(BARE)) await installEngines();
  runServer();
} else {
  console.error(
    `npm start knows ${BARE}, not ${unknown}. Settings are variables, such as PRESSROOM_HTTP_LISTEN=127.0.0.1:8080: docs/reference/settings.md lists them.`,
  );
  process.exitCode = 2;
}

/** Serves whatever is available, even if something could not be installed. */
async function installEngines() {
  const missing = missingOf(ENGINES);
  if (missing.length === 0) return;
  console.log('The examples use R, Python and bubblewrap. Some of their packages are missing.');
  const why = await installPackages(missing);
  if (why === null) return;
  console.log(
    `Some examples will not run: ${why}. To install what they need, run:\n\n  ${commandFor(missing)}\n`,
  );
}

function runServer() {
  const { node, script, cwd } = reachableProgram(root);
  const child = spawn(node, [script], { cwd, stdio: 'inherit' });
  // Ctrl-C reaches both processes; the server decides when to exit.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 1;
  });
}
