// The name of a preview, as addresses have it, of a branch.

const LONGEST = 63;

/** As GitLab's CI_COMMIT_REF_SLUG, which also keeps `.` and `_`; null for a branch that leaves nothing. */
export function previewNameOf(branch: string): string | null {
  const name = branch
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, LONGEST)
    .replace(/[^a-z0-9]+$/, '');
  return name === '' ? null : name;
}
