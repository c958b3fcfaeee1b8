// Version requirements of interpreters: `>=3.10,<3.13`, as in pyproject.toml and DESCRIPTION (PEP 440).

type Release = readonly number[];

interface Clause {
  readonly operator: string;
  readonly release: Release;
  /** Any release with this prefix: `==3.11.*`. */
  readonly isPrefix: boolean;
}

export interface VersionRequirement {
  readonly clauses: readonly Clause[];
}

const CLAUSE = /^(~=|===?|!=|<=?|>=?)?\s*v?(\d{1,6}(?:\.\d{1,6}){0,5})(\.\*)?(?:\.?(?:a|b|rc|dev|post)\d*)?$/;

/** Null for an invalid requirement. A bare version matches all releases with that prefix. */
export function parseVersionRequirement(text: string): VersionRequirement | null {
  const clauses: Clause[] = [];
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const [, operator, numbers, star] = CLAUSE.exec(part) ?? [];
    if (numbers === undefined) return null;
    const release = numbers.split('.').map(Number);
    if (operator === '~=' && release.length < 2) return null;
    const isPrefix = star !== undefined || operator === undefined;
    if (isPrefix && operator !== undefined && !['==', '!='].includes(operator)) return null;
    clauses.push({ operator: operator ?? '==', release, isPrefix });
  }
  return { clauses };
}

/** @param version of an interpreter, such as 3.11.2 */
export function meetsRequirement(version: string, { clauses }: VersionRequirement): boolean {
  const release = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return clauses.every((clause) => meets(release, clause));
}

function meets(release: Release, { operator, release: wanted, isPrefix }: Clause): boolean {
  const difference = compare(isPrefix ? release.slice(0, wanted.length) : release, wanted);
  switch (operator) {
    case '~=':
      return difference >= 0 && compare(release.slice(0, wanted.length - 1), wanted.slice(0, -1)) === 0;
    case '!=':
      return difference !== 0;
    case '<':
      return difference < 0;
    case '<=':
      return difference <= 0;
    case '>':
      return difference > 0;
    case '>=':
      return difference >= 0;
    default:
      return difference === 0;
  }
}

/** Missing numbers count as zero. */
function compare(a: Release, b: Release): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
