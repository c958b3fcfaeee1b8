// Debian and Ubuntu packages in use, each with a file it installs.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Runtimes of the examples, and their isolation. */
export const ENGINES = {
  'r-base-core': '/usr/bin/Rscript',
  'r-cran-shiny': '/usr/lib/R/site-library/shiny/DESCRIPTION',
  'r-cran-rmarkdown': '/usr/lib/R/site-library/rmarkdown/DESCRIPTION',
  'r-cran-plumber': '/usr/lib/R/site-library/plumber/DESCRIPTION',
  pandoc: '/usr/bin/pandoc',
  python3: '/usr/bin/python3',
  'python3-pip': '/usr/lib/python3/dist-packages/pip/__init__.py',
  'python3-fastapi': '/usr/lib/python3/dist-packages/fastapi/__init__.py',
  'python3-uvicorn': '/usr/lib/python3/dist-packages/uvicorn/__init__.py',
  'python3-flask': '/usr/lib/python3/dist-packages/flask/__init__.py',
  'python3-gunicorn': '/usr/lib/python3/dist-packages/gunicorn/__init__.py',
  'python3-websockets': '/usr/lib/python3/dist-packages/websockets/__init__.py',
  'jupyter-nbconvert': '/usr/bin/jupyter-nbconvert',
  'python3-ipykernel': '/usr/lib/python3/dist-packages/ipykernel/__init__.py',
  bubblewrap: '/usr/bin/bwrap',
  git: '/usr/bin/git',
  'openssh-client': '/usr/bin/ssh',
};

/** The headless build of Chromium: a package of Debian, on Ubuntu from npm. */
export const BROWSER = 'chromium-headless-shell';

/** Additional packages for tests: sign-in servers, an S3 store, a container engine and a browser. */
export const FOR_TESTS = {
  postgresql: () => isThere('/usr/lib/postgresql/*/bin/postgres'),
  curl: () => has('curl'),
  openssl: () => has('openssl'),
  sqlite3: () => has('sqlite3'),
  tar: () => has('tar'),
  procps: () => has('ps'),
  [BROWSER]: () => has(BROWSER),
  slapd: '/usr/sbin/slapd',
  'ldap-utils': '/usr/bin/ldapmodify',
  'openssh-server': '/usr/sbin/sshd',
  nginx: '/usr/sbin/nginx',
  // Slow to install: any Python besides the system's will do.
  pypy3: () => isThere('/usr/bin/pypy3 /opt/python/*/bin/python3 ~/.pyenv/versions/3.1[02-9]*/bin/python3'),
  // R packages of the tests are compiled, or have a script `configure`.
  make: () => has('make'),
  gcc: () => has('gcc'),
  'g++': () => has('g++'),
  'libpam-modules': '/etc/pam.d/other',
  passwd: '/usr/sbin/useradd',
  'swift-proxy': '/usr/bin/swift-proxy-server',
  'swift-account': '/usr/bin/swift-account-server',
  'swift-container': '/usr/bin/swift-container-server',
  'swift-object': '/usr/bin/swift-object-server',
  memcached: '/usr/bin/memcached',
  'docker.io': () => isThere('/usr/sbin/dockerd /usr/bin/dockerd') && has('docker'),
};

/** Names of packages that are missing or incompletely installed. */
export function missingOf(packages) {
  const broken = brokenOf(Object.keys(packages));
  return Object.entries(packages)
    .filter(([name, sign]) => broken.has(name) || !(typeof sign === 'string' ? existsSync(sign) : sign()))
    .map(([name]) => name);
}

/** Interrupted installations: the files exist but do not work. */
function brokenOf(names) {
  const query = ['-W', '-f', '${Package} ${db:Status-Status}\n', ...names];
  const { stdout } = spawnSync('dpkg-query', query, { encoding: 'utf8' });
  const states = (stdout ?? '').split('\n').map((line) => line.split(' '));
  const whole = ['installed', 'not-installed', 'config-files', undefined];
  return new Set(states.filter(([, state]) => !whole.includes(state)).map(([name]) => name));
}

export function has(command) {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
}

/** Whether one of these programs exists. @param patterns shell patterns, separated by spaces */
function isThere(patterns) {
  const script = `for file in ${patterns}; do [ -x "$file" ] && exit; done; exit 1`;
  return spawnSync('sh', ['-c', script]).status === 0;
}
