// System packages for the tests: runtimes, counterparts and a browser.
import { readFileSync } from 'node:fs';
import { installBrowser } from '../test/browser/host/install.mjs';
import { commandFor, installPackages } from './apt.mjs';
import { BROWSER, ENGINES, FOR_TESTS, has, missingOf } from './system-packages.mjs';

/** What Chromium needs where it is not a package itself. */
const BELOW_BROWSER = ['libnss3', 'fonts-liberation'];

/** Installs missing ones, or prints how to. @returns whether all are installed */
export async function installForTests() {
  const missing = missingOf({ ...ENGINES, ...FOR_TESTS });
  if (missing.length === 0) return true;
  const isFromNpm = missing.includes(BROWSER) && isUbuntu();
  const packages = isFromNpm ? [...missing.filter((name) => name !== BROWSER), ...BELOW_BROWSER] : missing;
  const areThere = await install(packages);
  // The client is a package of its own from Debian 13 on.
  if (!areThere || !(has('docker') || (await install(['docker-cli'])))) return false;
  if (isFromNpm) await installBrowser();
  return true;
}

/** @returns false once the reason and the command were printed */
async function install(packages) {
  const why = await installPackages(packages);
  if (why === null) return true;
  console.error(`These packages are needed, but ${why}. Run:\n\n  ${commandFor(packages)}\n`);
  return false;
}

/** Ubuntu and its derivatives. */
function isUbuntu() {
  return /^ID(_LIKE)?=.*ubuntu/m.test(readFileSync('/etc/os-release', 'utf8'));
}
