import { readFileSync } from 'node:fs';
import { defaultExclusion } from '@pressroom/api/publish';
import { expect, test } from 'vitest';
import { whyText } from './reasons.ts';

test('every reason of the default exclusions has a translation', () => {
  const german = JSON.parse(
    readFileSync(new URL('../../l10n/bundle.l10n.de.json', import.meta.url), 'utf8'),
  ) as Record<string, string>;
  const paths = [
    '.git',
    'renv/library',
    'node_modules',
    '.venv',
    '.quarto',
    '.Rhistory',
    '.pressroom',
    '.idea',
    '.env',
  ];
  for (const path of [...paths, '.DS_Store', '.pressroomignore']) {
    const reason = defaultExclusion(path);
    expect(reason, path).toBeDefined();
    expect(german, path).toHaveProperty([reason!]);
  }
});

test('explains a detected type from its reason code, with the name of the type', () => {
  const makes = {
    code: 'makes',
    args: ['app.py', 'app', 'python-fastapi', 'app:app'],
  } as const;
  expect(whyText({ reason: makes })).toBe(
    'app.py makes an application named app: FastAPI application (app:app).',
  );
  expect(whyText({ reason: { code: 'file', args: ['a.ipynb', 'jupyter-static'] } })).toBe(
    'a.ipynb: Jupyter notebook.',
  );
});
