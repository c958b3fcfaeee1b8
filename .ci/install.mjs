// Installs what `npm start` and `npm test` need; runs on any Node from 20 up, before anything is installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installEditor } from '../test/editor/host/install.mjs';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'node_modules', '.pressroom-installed');

/** What content runs on: R and Python packages of Debian, by a file that each brings. */
const RUNTIMES = {
  'r-base-core': '/usr/bin/Rscript',
  'r-cran-shiny': '/usr/lib/R/site-library/shiny/DESCRIPTION',
  'r-cran-rmarkdown': '/usr/lib/R/site-library/rmarkdown/DESCRIPTION',
  'r-cran-plumber': '/usr/lib/R/site-library/plumber/DESCRIPTION',
  pandoc: '/usr/bin/pandoc',
  'jupyter-nbconvert': '/usr/bin/jupyter-nbconvert',
  'python3-ipykernel': '/usr/lib/python3/dist-packages/ipykernel/__init__.py',
  'python3-flask': '/usr/lib/python3/dist-packages/flask/__init__.py',
  'python3-fastapi': '/usr/lib/python3/dist-packages/fastapi/__init__.py',
  'python3-uvicorn': '/usr/lib/python3/dist-packages/uvicorn/__init__.py',
  'python3-gunicorn': '/usr/lib/python3/dist-packages/gunicorn/__init__.py',
  'python3-pip': '/usr/lib/python3/dist-packages/pip/__init__.py',
  'python3-websockets': '/usr/lib/python3/dist-packages/websockets/__init__.py',
  bubblewrap: '/usr/bin/bwrap',
  'chromium-headless-shell': '/usr/bin/chromium-headless-shell',
  slapd: '/usr/sbin/slapd',
  'ldap-utils': '/usr/bin/ldapmodify',
  nginx: '/usr/sbin/nginx',
  'libpam-modules': '/etc/pam.d/other',
};

/** What people sign in with, in tests. */
const COUNTERPARTS = {
  slapd: '/usr/sbin/slapd',
  'ldap-utils': '/usr/bin/ldapmodify',
  nginx: '/usr/sbin/nginx',
  passwd: '/usr/sbin/useradd',
};

installPackages();
if (process.argv.includes('--system')) {
  installSystemPackages();
  installEditor();
}

/** `npm ci`, unless what is there came from this very lockfile. */
function installPackages() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing packages (npm ci) …');
  // Settings of the npm that called this must not change how packages are installed.
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, stdio: 'inherit' });
  writeFileSync(stamp, wanted);
}

/**
 * What the tests use of the system: a PostgreSQL server, SQLite's command line, GNU tar, curl, openssl, ps, what content runs on, and a compiler for two
 * native modules of the editor.
 */
function installSystemPackages() {
  const missing = [
    ['postgresql', hasPostgres()],
    ['curl', has('curl')],
    ['openssl', has('openssl')],
    ['sqlite3', has('sqlite3')],
    ['python3', existsSync('/usr/bin/python3')],
    ['tar', has('tar')],
    ['procps', has('ps')],
    ...Object.entries({ ...RUNTIMES, ...COUNTERPARTS }).map(([name, file]) => [name, existsSync(file)]),
    ['make', has('make')],
    ['g++', has('g++')],
  ].filter(([, present]) => !present);
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name);
  console.log(`Installing system packages: ${names.join(', ')} …`);
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...args) => {
    const [command, ...rest] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
    return spawnSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  };
  apt('update');
  if (!apt('install', '-y', '--no-install-recommends', ...names)) {
    console.error(
      `These are needed and could not be installed: ${names.join(', ')}. Install them and try again.`,
    );
    process.exitCode = 1;
  }
}

function has(command) {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
}

function hasPostgres() {
  return spawnSync('sh', ['-c', 'ls /usr/lib/postgresql/*/bin/postgres']).status === 0;
}
