// Images made from this machine, without a registry: R or Python, and their libraries.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readLibraries } from '../../packages/server/src/runtime/restore/r/r-library.ts';

const PROGRAMS = [
  'sh bash cat ls cp mkdir rm rmdir mv ln chmod stat sed uname id sleep touch grep expr dirname basename tr sort env',
  'tar gzip head which',
].flatMap((names) => names.split(' ').map((name) => `/usr/bin/${name}`));
const SYSTEM = [
  '/bin',
  '/lib',
  '/lib64',
  '/usr/lib64',
  '/etc/passwd',
  '/etc/group',
  '/etc/os-release',
].concat(
  ['/usr/lib/os-release', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/ld.so.cache', '/etc/nsswitch.conf'],
  ['/usr/lib/locale/C.utf8', '/usr/bin/dash'],
);
const OF_PYTHON =
  '{fastapi,starlette,uvicorn,asgiref,websockets,click,h11,anyio,sniffio,idna,pydantic,annotated_types,typing_extensions,typing_inspection,pip,setuptools,pkg_resources}*';
const PYTHON = basename(realpathSync('/usr/bin/python3'));
const OF_THE_SYSTEM = [
  '/usr/bin/python3',
  `/usr/bin/${PYTHON}`,
  `/usr/lib/${PYTHON}`,
  '/usr/share/python-wheels',
  // Newer versions of pip read it.
  '/etc/ssl/certs/ca-certificates.crt',
];
const GIT_CORE = ['git', 'git-remote-http'];
const R_HOME = '/usr/lib/R';
const R_PACKAGES = `${R_HOME}/site-library`;
const R = ['/usr/bin/R', '/usr/bin/Rscript', '/usr/share/R', '/etc/R', '/usr/bin/pandoc'].concat([
  '/usr/share/pandoc',
  ...globSync('/usr/lib/*-linux-gnu/gconv'),
  '/usr/share/zoneinfo/Etc',
]);
/** Unneeded parts that would be copied each time. What Python has compiled is needed: it would do so at each start. */
const WITHOUT_PYTHON = [
  '*.a',
  'idlelib',
  'lib2to3',
  'ensurepip',
  `config-${PYTHON.slice('python'.length)}-*`,
  `usr/lib/${PYTHON}/test`,
];
const WITHOUT_R = ['help', 'html', 'doc', 'demo', 'tests', 'include', 'translations'];

/** With uvicorn and FastAPI, git, and a volume at /data. */
export function pythonImage(host: string, name: string): void {
  const version = realpathSync('/usr/bin/python3');
  const packages = globSync(OF_PYTHON, { cwd: '/usr/lib/python3/dist-packages' }).map(
    (found) => `/usr/lib/python3/dist-packages/${found}`,
  );
  const git = ['/usr/bin/git', ...GIT_CORE.map((name) => `/usr/lib/git-core/${name}`)];
  const linked = [
    ...git,
    version,
    ...globSync(`/usr/lib/${PYTHON}/lib-dynload/*.so`),
    ...packages.flatMap((path) => globSync(`${path}/*.so`)),
  ];
  importImage(
    host,
    name,
    [...OF_THE_SYSTEM, ...packages, ...git],
    linked,
    WITHOUT_PYTHON,
    '--change "VOLUME /data"',
  );
}

/** With Shiny and R Markdown. */
export async function rImage(host: string, name: string): Promise<void> {
  const there = await readLibraries([R_PACKAGES]);
  const needed = new Set<string>();
  const open = ['shiny', 'rmarkdown'];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const found = there.get(next);
    if (!found || needed.has(next)) continue;
    needed.add(next);
    open.push(...found.needs);
  }
  const own = [
    ...globSync(`${R_HOME}/*`).filter((path) => path !== R_PACKAGES),
    ...[...needed].map((found) => join(R_PACKAGES, found)),
  ];
  const linked = own.flatMap((path) => globSync(`${path}/**/*.so`));
  importImage(host, name, [...R, ...own], [`${R_HOME}/bin/exec/R`, ...linked, '/usr/bin/pandoc'], WITHOUT_R);
}

/** Without any runtime. */
export function shellImage(host: string, name: string): void {
  importImage(host, name, [], []);
}

function importImage(
  host: string,
  name: string,
  paths: readonly string[],
  linked: readonly string[],
  unneeded: readonly string[] = [],
  changes = '',
): void {
  const all = [
    ...SYSTEM,
    ...paths,
    ...PROGRAMS.flatMap((path) => [...linksTo(path)]),
    ...librariesOf([...PROGRAMS, ...linked]),
  ];
  const inside = (path: string) =>
    [...SYSTEM, ...paths].some((above) => path !== above && path.startsWith(`${above}/`));
  const list = [...new Set(all)].filter((path) => existsSync(path) && !inside(path)).join('\n');
  const without = unneeded.map((pattern) => `--exclude='${pattern}'`).join(' ');
  const pack = `tar --create ${without} --directory=/ --files-from=- | docker --host ${host} import ${changes} - ${name}`;
  execFileSync('sh', ['-c', pack], { input: list, stdio: 'pipe' });
}

/** Includes every link on the path to a library. */
function librariesOf(files: readonly string[]): string[] {
  const { stdout } = spawnSync('ldd', [...files], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const found = new Set(stdout.match(/\/[^\s:]+(?= \(0x)/g) ?? []);
  return [...found].flatMap((path) => [...linksTo(path)]);
}

function* linksTo(path: string): Generator<string> {
  const at = join(realpathSync(dirname(path)), basename(path));
  yield at;
  if (lstatSync(at).isSymbolicLink()) yield* linksTo(resolve(dirname(at), readlinkSync(at)));
}
