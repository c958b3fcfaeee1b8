// Derives the name of a preview, as used in addresses, from a branch.
import { plainLetters } from './content-name.ts';

const MAX_LENGTH = 63;

/** Like GitLab's CI_COMMIT_REF_SLUG, but keeping `.`, `_` and the base of accented letters; null if nothing is left. */
export function previewNameOf(branch: string): string | null {
  const name = plainLetters(branch)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, MAX_LENGTH)
    .replace(/[^a-z0-9]+$/, '');
  return name === '' ? null : name;
}
