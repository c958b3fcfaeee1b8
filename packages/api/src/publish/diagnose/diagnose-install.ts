// Finds the cause in output of package installations: R CMD INSTALL, pip, and this server's own messages.
import { wording } from '../../client/failure-texts.ts';
import { compact, findLine, type DiagnosisKind, type Finding, type Lines } from './diagnosis.ts';
import { HINT_TEXTS } from './hint-texts.ts';

interface Rule {
  readonly pattern: RegExp;
  readonly kind: DiagnosisKind;
  readonly hint: string;
  /** Groups of the match that the hint names; the first by default. */
  readonly values?: readonly number[];
}

const RULES: readonly Rule[] = [
  {
    // Messages of this project's restorer: "cannot be had" on older servers.
    pattern: /^(?:Error: |ERROR: )?Package (\S+) (?:\(\S+\) |\S+ )?(?:cannot be had|is not available)\b.*$/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.repository,
  },
  {
    pattern: /^Error: the R repository (\S+) cannot be used: .*$/,
    kind: 'install',
    hint: HINT_TEXTS.repositoryAway,
  },
  {
    pattern: /ERROR: this R is version (\S+), package [‘'](.+?)[’'] requires R (.+)$/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.requiresR,
    values: [2, 1],
  },
  {
    pattern: /ERROR: dependency [‘'](.+?)[’'] is not available for package [‘'].+?[’']/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.addToManifest,
  },
  {
    pattern: /ERROR: dependencies (.+) are not available for package [‘'].+?[’']/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.addToManifest,
  },
  {
    pattern: /(?:^|\s)ERROR: Could not find a version that satisfies the requirement (\S+)/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.notInIndex,
  },
  {
    pattern: /(?:^|\s)ERROR: No matching distribution found for (\S+)/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.notInIndex,
  },
  {
    pattern: /(?:^|\s)ERROR: Package '(.+?)' requires a different Python/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.requiresPython,
  },
  // Messages of uv, which this server prints in one line.
  {
    pattern:
      /^Error: the Python packages do not install: Because there (?:is no version|are no versions) of (\S+)/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.notInIndex,
  },
  {
    pattern: /^Error: the Python packages do not install: Because (\S+) was not found in the/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.notInIndex,
  },
  {
    pattern: /^Error: the Python packages do not install: Because the current Python version/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.requiresPython,
  },
  {
    pattern:
      /^Error: the Python packages do not install: Because (?=.* depends on ).* requirements are unsatisfiable/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.conflict,
  },
  {
    pattern: /ERROR: Cannot install .* because these package versions have conflicting dependencies/,
    kind: 'package-unavailable',
    hint: HINT_TEXTS.conflict,
  },
  {
    pattern: /ERROR: Invalid requirement: .*? \(from line (\d+) of (.+?)\)/,
    kind: 'syntax',
    hint: HINT_TEXTS.requirement,
  },
  {
    pattern: /ERROR: Could not open requirements file: .*: '(.+)'/,
    kind: 'missing-file',
    hint: HINT_TEXTS.inBundle,
  },
  {
    pattern:
      /ERROR: Could not install packages due to an OSError: \[Errno 2\] No such file or directory: '(.+)'/,
    kind: 'missing-file',
    hint: HINT_TEXTS.localPath,
  },
  {
    pattern: /^\S+:\d+:\d+: fatal error: (\S+): No such file or directory$/,
    kind: 'install',
    hint: HINT_TEXTS.systemLibrary,
  },
  {
    // Of a shell, or of make itself.
    pattern:
      /^(?:\S+: (?:line )?\d+: (?:eval: )?|make(?:\[\d+\])?: )(make|cmake|gcc|g\+\+|cc|c\+\+|gfortran|pkg-config): (?:command )?(?:not found|No such file or directory)$/,
    kind: 'install',
    hint: HINT_TEXTS.buildTool,
  },
  {
    pattern: /^configure: error: .*/,
    kind: 'install',
    hint: HINT_TEXTS.systemLibrary,
  },
];

/** The final error line of a package; earlier lines are more specific. */
const FAILED = /^ERROR: (?:.* failed for package|.* for package [‘'].+?[’'])|\bERROR: Failed building wheel/;

export function diagnoseInstall(lines: Lines): Finding | null {
  for (const [index, line] of lines.entries()) {
    for (const { pattern, kind, hint, values = [1] } of RULES) {
      const match = pattern.exec(line);
      if (!match) continue;
      const place = kind === 'syntax' ? { file: match[2]!, at: Number(match[1]) } : {};
      const remedy = wording(hint, ...values.map((group) => match[group] ?? ''));
      return { line: line.trim().replace(/^Error: /, ''), index, ...place, kind, wording: remedy };
    }
  }
  const failed = findLine(lines, FAILED, 0);
  if (!failed) return null;
  // The specific error is between the start of this package's installation and its last line.
  const start = lines.findLastIndex((line, i) => i < failed.index && line.startsWith('* installing '));
  const cause = findLine(
    lines,
    /^Error in .* :|: error: |^error: /i,
    Math.max(0, start),
    failed.index - start,
  );
  const index = cause?.index ?? failed.index;
  const next = lines[index + 1] ?? '';
  const line = `${lines[index]!.trim()}${lines[index]!.endsWith(' :') ? ` ${next.trim()}` : ''}`;
  return compact({ line, index, kind: 'install', wording: wording(HINT_TEXTS.install) });
}
