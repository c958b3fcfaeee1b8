// Default exclusions of bundles, unless the publisher includes them: version control, libraries, caches, secrets.

const VERSION_CONTROL = 'version control data';
const R_LIBRARY = 'an R package library; the server installs packages from the manifest';
const NODE_LIBRARY = 'JavaScript packages; they are not run on the server';
const PYTHON_LIBRARY = 'a Python environment; the server builds its own from requirements.txt';
const CACHE = 'a cache';
const SESSION = 'a record of a local session';
const RECORD = 'a record of earlier deployments';
const IDE = 'settings of an editor';
const SECRET = 'it may hold secrets; set variables on the server instead';
const DESKTOP = 'a desktop leftover';
const OWN = 'rules for publishing, not content';

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['.git', VERSION_CONTROL],
  ['.svn', VERSION_CONTROL],
  ['.hg', VERSION_CONTROL],
  ['.bzr', VERSION_CONTROL],
  ['.gitignore', VERSION_CONTROL],
  ['.gitattributes', VERSION_CONTROL],
  ['.gitmodules', VERSION_CONTROL],
  ['node_modules', NODE_LIBRARY],
  ['.venv', PYTHON_LIBRARY],
  ['__pycache__', CACHE],
  ['.pytest_cache', CACHE],
  ['.mypy_cache', CACHE],
  ['.ruff_cache', CACHE],
  ['.tox', CACHE],
  ['.nox', CACHE],
  ['.ipynb_checkpoints', CACHE],
  ['.quarto', CACHE],
  ['.Rproj.user', SESSION],
  ['.Rhistory', SESSION],
  ['.RData', SESSION],
  ['.RDataTmp', SESSION],
  ['.Ruserdata', SESSION],
  ['.python_history', SESSION],
  ['.pressroom', RECORD],
  ['rsconnect', RECORD],
  ['rsconnect-python', RECORD],
  ['.posit', RECORD],
  ['.vscode', IDE],
  ['.idea', IDE],
  ['.netrc', SECRET],
  ['_netrc', SECRET],
  ['.pypirc', SECRET],
  ['.npmrc', SECRET],
  ['.pgpass', SECRET],
  ['.git-credentials', SECRET],
  ['.ssh', SECRET],
  ['.aws', SECRET],
  ['.gnupg', SECRET],
  ['id_rsa', SECRET],
  ['id_dsa', SECRET],
  ['id_ecdsa', SECRET],
  ['id_ed25519', SECRET],
  ['.DS_Store', DESKTOP],
  ['Thumbs.db', DESKTOP],
  ['desktop.ini', DESKTOP],
  ['.pressroomignore', OWN],
]);

const BY_PATH: ReadonlyArray<readonly [RegExp, string]> = [
  [/(^|\/)renv\/(library|staging|sandbox|python|local)$/, R_LIBRARY],
  [/(^|\/)packrat\/(lib[^/]*|src)$/, R_LIBRARY],
  [/(^|\/)\.env(rc|[._-][^/]*)?$/i, SECRET],
  [/(^|\/)\.Renviron[^/]*$/i, SECRET],
  [/(^|\/)[^/]+\.py[co]$/, CACHE],
  [/(^|\/)~\$[^/]+$/, DESKTOP],
  [/(^|\/)\._[^/]+$/, DESKTOP],
  [/(^|\/)\.#[^/]+$/, DESKTOP],
  [/(^|\/)[^/]+~$/, DESKTOP],
];

/** Templates of secret files have no secrets and tell colleagues what to set. */
const TEMPLATE = /(^|\/)\.(env|Renviron)[._-](example|sample|template|dist)$/i;

/** Reason for a directory with pyvenv.cfg, whatever its name. */
export const PYTHON_ENVIRONMENT_REASON = PYTHON_LIBRARY;

/** Why a path is excluded by default, or undefined; considers this path only, not its parents. */
export function defaultExclusion(relative: string): string | undefined {
  const name = relative.slice(relative.lastIndexOf('/') + 1);
  const byName = BY_NAME.get(name);
  if (byName !== undefined) return byName;
  // Programs on macOS and Windows find `.Env` as `.env`: any case counts as a secret.
  if (BY_NAME.get(name.toLowerCase()) === SECRET) return SECRET;
  if (TEMPLATE.test(relative)) return undefined;
  return BY_PATH.find(([pattern]) => pattern.test(relative))?.[1];
}

/** Like `defaultExclusion`, for the path or any parent directory. */
export function defaultExclusionAbove(relative: string): string | undefined {
  for (let end = relative.indexOf('/'); end !== -1; end = relative.indexOf('/', end + 1)) {
    const reason = defaultExclusion(relative.slice(0, end));
    if (reason !== undefined) return reason;
  }
  return defaultExclusion(relative);
}

/** Whether a file, or a directory above it, has a name of those that hold secrets. */
export function mayHoldSecrets(relative: string): boolean {
  return defaultExclusionAbove(relative) === SECRET;
}
