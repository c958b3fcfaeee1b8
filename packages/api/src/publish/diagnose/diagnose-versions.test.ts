import { expect, test } from 'vitest';
import { diagnose } from './diagnose.ts';

const failed = ['Error in f() : object of type closure is not subsettable'];

test('hints at another R or Python version only without a better hint', () => {
  const line = 'Bundle requested R version 4.1.2; using /usr/bin/R which has version 4.5.0';
  expect(diagnose([line, 'Error: it broke'])?.hint).toContain('created with R 4.1.2 but runs on 4.5.0');
  const python = 'Bundle requested Python version 3.8; using /usr/bin/python3 which has version 3.13.5';
  const raised = ['Traceback (most recent call last):', '  File "app.py", line 1, in <module>'];
  const lines = [python, ...raised, "ModuleNotFoundError: No module named 'x'"];
  expect(diagnose(lines)?.hint).toContain('requirements.txt');
});

test('names a version that is not installed', () => {
  expect(diagnose(['Error: R version 9.1.0 is not installed on this server'])?.hint).toContain('no R 9.1.0');
});

test('ignores a difference in the patch version', () => {
  const line = 'Bundle requested R version 4.5.1; using /usr/bin/R which has version 4.5.0';
  expect(diagnose([line, ...failed])?.hint ?? '').not.toContain('created with');
});
