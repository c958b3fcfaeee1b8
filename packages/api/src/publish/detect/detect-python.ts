// Detects applications and APIs in Python.
import { findKind } from '../../contract/find-kind.ts';
import type { ContentCandidate, ContentView, Reason } from './content-candidate.ts';
import { findPythonApplications, type PythonApplication } from './python-source.ts';

const USUAL_FILES = [
  'app.py',
  'main.py',
  'streamlit_app.py',
  'api.py',
  'asgi.py',
  'wsgi.py',
  'server.py',
  'Home.py',
  'dashboard.py',
];
const USUAL_OBJECTS = ['app', 'api', 'application', 'server', 'demo'];
/** Prefix that Shiny Express uses for a file. */
const EXPRESS = 'shiny.express.app:';

/** Files of a package that commonly define its application, as FastAPI and Flask recommend for larger ones. */
const IN_PACKAGE = /^([A-Za-z_]\w*)\/(?:app|main|api|asgi|wsgi|server|__init__)\.py$/;

/**
 * Top-level Python files that define an application, or are one, and packages next to the project's dependency list.
 */
export function detectPython(view: ContentView): ContentCandidate[] {
  const files = [...view.names].filter((name) => /^[^.].*\.py$/.test(name));
  const found = [...files, ...packageFiles(view)].flatMap((name) => {
    const fileRank = rank(USUAL_FILES, name);
    const below = name.includes('/');
    // Tests may define an application of their own.
    const test = /^test_|_test\.py$|^conftest\.py$/.test(name);
    return findPythonApplications(view.text(name)).flatMap((application) => {
      const { object, appmode, what } = application;
      // A file is run directly; a module is imported, which requires a name without dots, and in a package an object.
      const fits = startsFromFile(application)
        ? !below
        : !name.slice(0, -3).includes('.') && !(below && object === null);
      if (!fits) return [];
      const entrypoint = entryOf(name, application);
      const code = object === null ? 'imports' : 'makes';
      const reason: Reason = { code, args: [name, object ?? '', appmode, entrypoint] };
      return {
        appmode,
        contentCategory: '',
        primary: name,
        entrypoint,
        hasParameters: false,
        confidence: test
          ? 0.3
          : (below ? 0.7 : 0.95) - fileRank * 0.01 - rank(USUAL_OBJECTS, object ?? 'app') * 0.001,
        why: `${name} ${application.found}, so it is ${what} (${entrypoint}).`,
        reason,
      };
    });
  });
  return [...found, ...detectDjango(view)];
}

/** The package files to examine: in a package without a dependency list, the directory may be a project of its own. */
export function packageFiles({ names, paths }: Pick<ContentView, 'names' | 'paths'>): string[] {
  if (!names.has('requirements.txt') && !names.has('pyproject.toml')) return [];
  return [...paths].filter((path) => {
    const [, name] = IN_PACKAGE.exec(path) ?? [];
    return name !== undefined && !/^tests?$/.test(name) && paths.has(`${name}/__init__.py`);
  });
}

function startsFromFile({ appmode }: PythonApplication): boolean {
  const detection = findKind(appmode)?.detection;
  return detection?.by === 'python' && detection.entry === 'file';
}

function entryOf(name: string, application: PythonApplication): string {
  const { object, appmode } = application;
  if (startsFromFile(application)) return name;
  const module = name.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.');
  if (object !== null) return `${module}:${object}`;
  return appmode === 'python-shiny' ? EXPRESS + asVariable(name) : module;
}

/** Shiny's conversion of a file name to a variable name. */
function asVariable(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`);
}

/** A Django project: manage.py names its settings, and its application is next to them. */
function detectDjango(view: ContentView): ContentCandidate[] {
  const settings = /DJANGO_SETTINGS_MODULE["'],\s*["']([\w.]+)\.settings["']/.exec(
    view.text('manage.py'),
  )?.[1];
  if (settings === undefined) return [];
  return (['wsgi', 'asgi'] as const).flatMap((protocol, at) => {
    if (!view.paths.has(`${settings.replaceAll('.', '/')}/${protocol}.py`)) return [];
    const entrypoint = `${settings}.${protocol}:application`;
    return {
      appmode: protocol === 'wsgi' ? 'python-api' : 'python-fastapi',
      contentCategory: '',
      primary: 'manage.py',
      entrypoint,
      hasParameters: false,
      confidence: 0.96 - at * 0.01,
      why: `manage.py names the settings ${settings}.settings, so it is a Django application (${entrypoint}).`,
      reason: { code: 'django', args: [`${settings}.settings`, entrypoint] },
    };
  });
}

function rank(usual: readonly string[], name: string): number {
  const at = usual.indexOf(name);
  return at === -1 ? usual.length : at;
}
