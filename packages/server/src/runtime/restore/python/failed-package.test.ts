import { expect, test } from 'vitest';
import { failedPackage, withPackage } from './failed-package.ts';

const COMPILED = [
  'Collecting pandas',
  '  Using cached pandas-2.2.3.whl',
  'Collecting pylzma==0.5.0',
  'Building wheels for collected packages: pylzma',
  '  Building wheel for pylzma (setup.py): started',
  "  Building wheel for pylzma (setup.py): finished with status 'error'",
  '  error: subprocess-exited-with-error',
  '      src/pylzma.c:1:10: fatal error: Python.h: No such file or directory',
  '  ERROR: Failed building wheel for pylzma',
];
const PREPARED = [
  'Collecting pandas',
  'Collecting py_thing>=3 (from -r requirements.txt (line 2))',
  "  Getting requirements to build wheel: finished with status 'error'",
  '  error: subprocess-exited-with-error',
  "      ModuleNotFoundError: No module named 'numpy'",
];

test('failedPackage returns the package that pip names or last collected', () => {
  expect(failedPackage(COMPILED)).toBe('pylzma');
  expect(failedPackage(PREPARED)).toBe('py_thing');
  expect(failedPackage(['ERROR: Exception:'])).toBe(null);
  expect(failedPackage(['Collecting a', 'Killed'])).toBe(null);
  // pip read werkzeug before; what it cannot find is another package.
  expect(
    failedPackage([
      'Collecting werkzeug==3.0.0',
      'ERROR: Could not find a version that satisfies the requirement jinja2<2 (from versions: 2.0, 3.1.6)',
      'ERROR: No matching distribution found for jinja2<2',
    ]),
  ).toBe(null);
  expect(failedPackage([])).toBe(null);
});

test('withPackage keeps a cause that names its package', () => {
  expect(withPackage("ModuleNotFoundError: No module named 'numpy'", 'py_thing')).toBe(
    "py_thing: ModuleNotFoundError: No module named 'numpy'",
  );
  expect(withPackage('No matching distribution found for Py-Thing', 'py_thing')).toBe(
    'No matching distribution found for Py-Thing',
  );
  expect(withPackage('pip ended with 1', null)).toBe('pip ended with 1');
});
