// `npm run setup`: installs what the tests need, the engines of the examples included. Runs on any Node from 20 up.
import { installEditor } from '../test/editor/host/install.mjs';
import { commandFor, installPackages } from './apt.mjs';
import { installDependencies } from './dependencies.mjs';
import { ENGINES, FOR_TESTS, missingOf } from './system-packages.mjs';

installDependencies();
if (process.argv.includes('--system')) {
  const missing = missingOf({ ...ENGINES, ...FOR_TESTS });
  const why = missing.length === 0 ? null : await installPackages(missing);
  if (why !== null) {
    console.error(`These packages are needed, but ${why}. Run:\n\n  ${commandFor(missing)}\n`);
    process.exitCode = 1;
  }
  installEditor();
}
