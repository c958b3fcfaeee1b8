// System packages for the tests: runtimes, counterparts and a browser.
import { commandFor, installPackages } from './apt.mjs';
import { ENGINES, FOR_TESTS, missingOf } from './system-packages.mjs';

/** Installs missing ones, or prints how to. @returns whether all are installed */
export async function installForTests() {
  const missing = missingOf({ ...ENGINES, ...FOR_TESTS });
  const why = missing.length === 0 ? null : await installPackages(missing);
  if (why === null) return true;
  console.error(`These packages are needed, but ${why}. Run:\n\n  ${commandFor(missing)}\n`);
  return false;
}
