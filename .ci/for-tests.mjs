// The system packages of the tests: engines, counterparts and a browser.
import { commandFor, installPackages } from './apt.mjs';
import { ENGINES, FOR_TESTS, missingOf } from './system-packages.mjs';

/** Installs those that are missing; says how to do it by hand where it cannot. @returns whether all are there */
export async function installForTests() {
  const missing = missingOf({ ...ENGINES, ...FOR_TESTS });
  const why = missing.length === 0 ? null : await installPackages(missing);
  if (why === null) return true;
  console.error(`These packages are needed, but ${why}. Run:\n\n  ${commandFor(missing)}\n`);
  return false;
}
