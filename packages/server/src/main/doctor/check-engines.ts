// What content needs on this machine: R, Python, their packages, pandoc, TensorFlow, and isolation.
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../platform/errors.ts';
import {
  answerOf,
  createInstallations,
  SYSTEM_PYTHON,
  type Installations,
} from '../../runtime/installations.ts';
import { probeIsolation, type IsolationFinding } from '../../runtime/sandbox/isolation.ts';
import { findTools } from '../../runtime/sandbox/tools.ts';
import { listOf } from '../config/setting-kinds.ts';
import type { Config } from '../config/settings.ts';
import { bad, good, warning, type Finding } from './finding.ts';

const R_PACKAGES = ['shiny', 'rmarkdown', 'plumber'];
/** Debian packages by module. */
const PYTHON_MODULES: Readonly<Record<string, string>> = {
  pip: 'python3-pip',
  uvicorn: 'python3-uvicorn',
  websockets: 'python3-websockets',
  gunicorn: 'python3-gunicorn',
  nbconvert: 'jupyter-nbconvert',
  ipykernel: 'python3-ipykernel',
};

type Lists = Pick<Installations, 'listR' | 'listPython'>;

/**
 * Installations that the server found, for example in container images: those of this machine do not count for content.
 */
export async function checkInstalled({ listR, listPython }: Lists): Promise<Finding[]> {
  const found = [
    ...(await listR()).map(({ version, imageName }) => ['R', version, imageName] as const),
    ...(await listPython()).map(({ version, imageName }) => ['Python', version, imageName] as const),
  ];
  return found.map(([what, version, image]) =>
    good(what, image === undefined ? version : `${version} (${image})`),
  );
}

/** Installations named in the settings. */
export function installationsOf(config: Config) {
  return { r: listOf(config['R.Executable']), python: listOf(config['Python.Executable']) };
}

export async function checkEngines(config: Config, given?: Lists): Promise<Finding[]> {
  const broken: string[] = [];
  const installations =
    given ?? createInstallations({ ...installationsOf(config), onBroken: (file) => broken.push(file) });
  return [
    ...(await checkR(installations)),
    ...(await checkPython(installations)),
    ...broken.map((file) =>
      bad('Interpreter', `${file} does not run`, `Correct ${settingOf(file, config)}.`),
    ),
    ...(await checkQuarto(config['Quarto.Executable'])),
    ...(await checkTensorFlow(config['TensorFlow.Server'])),
  ];
}

const settingOf = (file: string, config: Config) =>
  installationsOf(config).r.includes(file) || file.endsWith('Rscript') ? 'R.Executable' : 'Python.Executable';

async function checkR(installations: Pick<Installations, 'listR'>): Promise<Finding[]> {
  const all = await installations.listR();
  const [r] = all;
  if (r === undefined)
    return [warning('R', 'not found: R content cannot be deployed', install(['r-base-core']))];
  const missing: string[] = [];
  for (const name of R_PACKAGES) {
    const places = await Promise.all(
      r.libraries.map((library) => exists(join(library, name, 'DESCRIPTION'))),
    );
    if (!places.includes(true)) missing.push(name);
  }
  const packages =
    missing.length === 0
      ? good('R packages', R_PACKAGES.join(', '))
      : warning(
          'R packages',
          `missing for the system's R: ${missing.join(', ')}`,
          install(missing.map((name) => `r-cran-${name}`)),
        );
  const pandoc = await ask('pandoc', ['--version']);
  const version = /^pandoc\S* (\S+)/.exec(pandoc)?.[1];
  return [
    ...all.map(({ version: found, file }) => good('R', `${found} (${file})`)),
    packages,
    version === undefined
      ? warning('pandoc', 'not found: R Markdown documents cannot be rendered', install(['pandoc']))
      : good('pandoc', version),
  ];
}

async function checkPython(installations: Pick<Installations, 'listPython'>): Promise<Finding[]> {
  const all = await installations.listPython();
  if (all.length === 0)
    return [
      warning(
        'Python',
        'no /usr/bin/python3: Python content cannot be deployed',
        install(['python3', 'python3-pip']),
      ),
    ];
  const modules = Object.keys(PYTHON_MODULES);
  const script =
    'import importlib.util, sys; print(*[m for m in sys.argv[1:] if not importlib.util.find_spec(m)])';
  // The runtimes of content use the system's Python, whatever the content's version.
  const response = await ask(SYSTEM_PYTHON, ['-c', script, ...modules]);
  const missing = response === '' ? modules : response.trim().split(/\s+/).filter(Boolean);
  return [
    ...all.map(({ version, file }) => good('Python', `${version} (${file})`)),
    missing.length === 0
      ? good('Python packages', modules.join(', '))
      : warning(
          'Python packages',
          `missing: ${missing.join(', ')}`,
          install(missing.map((name) => PYTHON_MODULES[name] ?? name)),
        ),
  ];
}

/** Optional: only a configured one must exist. */
async function checkQuarto(setting: string): Promise<Finding[]> {
  const found = await createInstallations().findQuarto(setting);
  if (found !== null) return [good('Quarto', `${found.version} (${found.file})`)];
  return setting === '' ? [] : [bad('Quarto', `${setting} does not run`, 'Correct Quarto.Executable.')];
}

async function checkTensorFlow(file: string): Promise<Finding[]> {
  if (file === '') return [];
  return (await exists(file, constants.X_OK))
    ? [good('TensorFlow', file)]
    : [
        bad(
          'TensorFlow',
          `${file} is no program`,
          'Set TensorFlow.Server to the path of tensorflow_model_server.',
        ),
      ];
}

/** The same probes as at a start. */
export async function checkSandbox(config: Config): Promise<Finding[]> {
  const tools = findTools();
  const asRoot = process.getuid?.() === 0;
  const mode = config['Isolation.Mode'];
  try {
    const { isolation } = await probeIsolation({
      mode: mode === 'required' ? 'auto' : mode,
      runAs: config['Applications.RunAs'],
      tools,
      separated: asRoot && config['Server.Account'] !== '' && tools.setpriv !== null,
      whyNotSeparated:
        config['Server.Account'] === ''
          ? 'Server.Account is empty: name an account'
          : 'setpriv is missing: apt-get install util-linux',
    });
    return ofIsolation(isolation.report, mode === 'required');
  } catch (error) {
    return [
      bad(
        'Isolation',
        messageOf(error),
        'Install what is missing, correct Applications.RunAs, or start the server as root.',
      ),
    ];
  }
}

/** Unprotected points come with a remedy. */
export function ofIsolation(report: readonly IsolationFinding[], isRequired: boolean): Finding[] {
  return report.map((item) => {
    if (item.protected) return good('Isolation', item.message);
    return isRequired
      ? bad(
          'Isolation',
          item.message,
          'Isolation.Mode is required: the server does not start until this is fixed.',
        )
      : warning('Isolation', item.message, '');
  });
}

function install(packages: readonly string[]): string {
  return `apt-get install ${packages.join(' ')}`;
}

function exists(file: string, mode = constants.R_OK): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}

/** Empty if it fails or does not respond twice. */
function ask(file: string, args: string[]): Promise<string> {
  return answerOf(file, args).catch(() => '');
}
