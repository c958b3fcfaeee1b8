// Detector for Python web APIs, ASGI and WSGI.
import type { ContentCandidate, ContentView } from './content-candidate.ts';
import { findPythonApplications } from './python-source.ts';

const USUAL_FILES = ['app.py', 'main.py', 'api.py', 'asgi.py', 'wsgi.py', 'server.py'];
const USUAL_OBJECTS = ['app', 'api', 'application', 'server'];

/** Python files at the top that assign an application object. */
export function detectPythonApi(view: ContentView): ContentCandidate[] {
  const files = [...view.names].filter((name) => /^[A-Za-z_]\w*\.py$/.test(name));
  return files.flatMap((name) => {
    const fileRank = rank(USUAL_FILES, name);
    const module = name.slice(0, -3);
    return findPythonApplications(view.text(name)).map(({ object, appmode, what, framework }) => {
      // A file for tests may well make an application of its own.
      const test = /^test_|_test\.py$|^conftest\.py$/.test(name);
      const entrypoint = `${module}:${object}`;
      return {
        appmode,
        contentCategory: '',
        primary: name,
        entrypoint,
        hasParameters: false,
        confidence: test ? 0.3 : 0.95 - fileRank * 0.01 - rank(USUAL_OBJECTS, object) * 0.001,
        why: framework.startsWith('a')
          ? `${name} defines ${object}, ${framework}, so it is ${what} (${entrypoint}).`
          : `${name} makes a ${framework} application named ${object}, so it is ${what} (${entrypoint}).`,
      };
    });
  });
}

function rank(usual: readonly string[], name: string): number {
  const at = usual.indexOf(name);
  return at === -1 ? usual.length : at;
}
