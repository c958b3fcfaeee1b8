// Finds the cause in output of package installations: R CMD INSTALL, pip, and this server's own messages.
import { compact, findLine, type Diagnosis, type DiagnosisKind, type Lines } from './diagnosis.ts';

interface Rule {
  readonly pattern: RegExp;
  readonly kind: DiagnosisKind;
  readonly hint: (match: RegExpExecArray) => string;
}

const RULES: readonly Rule[] = [
  {
    // Messages of this project's restorer.
    pattern: /^(?:Error: |ERROR: )?Package (\S+) (?:\(\S+\) |\S+ )?(?:cannot be had|is not available)\b.*$/,
    kind: 'package-unavailable',
    hint: (match) =>
      `Ask for ${match[1]} to be added to the server's repository, or publish with a version that it has.`,
  },
  {
    pattern: /ERROR: this R is version (\S+), package [‘'](.+?)[’'] requires R (.+)$/,
    kind: 'package-unavailable',
    hint: (match) =>
      `Publish with a version of ${match[2]} that supports R ${match[1]}, which the server has.`,
  },
  {
    pattern: /ERROR: dependency [‘'](.+?)[’'] is not available for package [‘'].+?[’']/,
    kind: 'package-unavailable',
    hint: (match) => `Add ${match[1]} to the manifest.`,
  },
  {
    pattern: /ERROR: dependencies (.+) are not available for package [‘'].+?[’']/,
    kind: 'package-unavailable',
    hint: (match) => `Add ${match[1]} to the manifest.`,
  },
  {
    pattern: /(?:^|\s)ERROR: Could not find a version that satisfies the requirement (\S+)/,
    kind: 'package-unavailable',
    hint: (match) => `The server's package index has nothing that satisfies ${match[1]}.`,
  },
  {
    pattern: /(?:^|\s)ERROR: No matching distribution found for (\S+)/,
    kind: 'package-unavailable',
    hint: (match) => `The server's package index has nothing that satisfies ${match[1]}.`,
  },
  {
    pattern: /(?:^|\s)ERROR: Package '(.+?)' requires a different Python/,
    kind: 'package-unavailable',
    hint: () =>
      'The Python version of the server differs from yours: choose a version of the package that supports it.',
  },
  {
    pattern: /ERROR: Cannot install .* because these package versions have conflicting dependencies/,
    kind: 'package-unavailable',
    hint: () => 'requirements.txt requires conflicting versions.',
  },
  {
    pattern: /ERROR: Invalid requirement: .*? \(from line (\d+) of (.+?)\)/,
    kind: 'syntax',
    hint: () => 'A line of requirements.txt is not a valid requirement, such as name==1.0.',
  },
  {
    pattern: /ERROR: Could not open requirements file: .*: '(.+)'/,
    kind: 'missing-file',
    hint: (match) => `Is ${match[1]} in the bundle?`,
  },
  {
    pattern:
      /ERROR: Could not install packages due to an OSError: \[Errno 2\] No such file or directory: '(.+)'/,
    kind: 'missing-file',
    hint: (match) =>
      `The server has no ${match[1]}: write name==version instead of a path of your machine. "pip list --format=freeze" does.`,
  },
  {
    pattern: /^\S+:\d+:\d+: fatal error: (\S+): No such file or directory$/,
    kind: 'install',
    hint: () => 'The package requires a system library that the server lacks: ask for it to be installed.',
  },
  {
    pattern: /^configure: error: .*/,
    kind: 'install',
    hint: () => 'The package requires a system library that the server lacks: ask for it to be installed.',
  },
];

/** The final error line of a package; earlier lines are more specific. */
const FAILED = /^ERROR: (?:.* failed for package|.* for package [‘'].+?[’'])|\bERROR: Failed building wheel/;

export function diagnoseInstall(lines: Lines): Diagnosis | null {
  for (const [index, line] of lines.entries()) {
    for (const { pattern, kind, hint } of RULES) {
      const match = pattern.exec(line);
      if (!match) continue;
      const place = kind === 'syntax' ? { file: match[2]!, at: Number(match[1]) } : {};
      return { line: line.trim().replace(/^Error: /, ''), index, ...place, kind, hint: hint(match) };
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
  return compact({ line, index, kind: 'install', hint: 'A package of the content does not install.' });
}
