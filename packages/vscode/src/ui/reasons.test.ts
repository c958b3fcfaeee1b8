import { readFileSync } from 'node:fs';
import { standardExclusion } from '@pressroom/api/publish';
import { expect, test } from 'vitest';

test('every reason of the standard exclusions has a translation', () => {
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
    const reason = standardExclusion(path);
    expect(reason, path).toBeDefined();
    expect(german, path).toHaveProperty([reason!]);
  }
});
