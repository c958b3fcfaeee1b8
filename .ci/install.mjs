// `npm run setup`: installs what the tests need, the engines of the examples included. Runs on any Node from 20 up.
import { installEditor } from '../test/editor/host/install.mjs';
import { commandFor, installPackages } from './apt.mjs';
import { installDependencies } from './dependencies.mjs';
import { ENGINES, FOR_TESTS, missingOf } from './system-packages.mjs';

const dependencies = installDependencies({ whole: true });
// Each waits for a server most of its time.
const editor = process.argv.includes('--editor') && installEditor();
if (process.argv.includes('--system')) await installSystemPackages();
await editor;
await dependencies;

async function installSystemPackages() {
  const missing = missingOf({ ...ENGINES, ...FOR_TESTS });
  const why = missing.length === 0 ? null : await installPackages(missing);
  if (why === null) return;
  console.error(`These packages are needed, but ${why}. Run:\n\n  ${commandFor(missing)}\n`);
  process.exitCode = 1;
}
