// Detector for applications and APIs in Python.
import { findKind } from '../../contract/kinds.ts';
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
/** What the module that runs Shiny Express calls a file. */
const EXPRESS = 'shiny.express.app:';

/** Python files at the top that make an application, or are one. */
export function detectPython(view: ContentView): ContentCandidate[] {
  const files = [...view.names].filter((name) => /^[A-Za-z_]\w*\.py$/.test(name));
  const found = files.flatMap((name) => {
    const fileRank = rank(USUAL_FILES, name);
    // A file for tests may well make an application of its own.
    const test = /^test_|_test\.py$|^conftest\.py$/.test(name);
    return findPythonApplications(view.text(name)).map((application) => {
      const { object, appmode, what } = application;
      const entrypoint = entryOf(name, application);
      const code = object === null ? 'imports' : 'makes';
      const reason: Reason = { code, args: [name, object ?? '', appmode, entrypoint] };
      return {
        appmode,
        contentCategory: '',
        primary: name,
        entrypoint,
        hasParameters: false,
        confidence: test ? 0.3 : 0.95 - fileRank * 0.01 - rank(USUAL_OBJECTS, object ?? 'app') * 0.001,
        why: `${name} ${application.found}, so it is ${what} (${entrypoint}).`,
        reason,
      };
    });
  });
  return [...found, ...detectDjango(view)];
}

function entryOf(name: string, { object, appmode }: PythonApplication): string {
  const module = name.slice(0, -3);
  const detection = findKind(appmode)?.detection;
  if (detection?.by === 'python' && detection.entry === 'file') return name;
  if (object !== null) return `${module}:${object}`;
  return appmode === 'python-shiny' ? EXPRESS + asVariable(name) : module;
}

/** As Shiny writes the name of a file as that of a variable. */
function asVariable(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`);
}

/** A project of Django's: its settings are named in manage.py, and its application stands beside them. */
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
