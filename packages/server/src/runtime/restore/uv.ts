// What there is to know about uv, which installs what pip would, faster: what it is asked, and what its errors mean.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { diagnose } from '@pressroom/api/publish';
import { withPackage } from './failed-package.ts';
import type { Requirements } from './python-requirements.ts';

/** Beside Debian's pip, only this tells of authorities that an administrator added. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const QUIET = ['--no-config', '--no-cache', '--no-progress', '--color=never'];
/** As pip: the best version of all indexes, compiled, in files of its own. */
const ALIKE = ['--index-strategy=unsafe-best-match', '--compile-bytecode', '--link-mode=copy'];
const KNOWN_OPTION = /^--(?:no-binary|only-binary)\b/;
const UNREACHABLE =
  /^\s*cause: (?:client error \(Connect\)|dns error|error sending request)|error sending request for url/;
const NO_WHEEL = /Wheels are required for `([\w.-]+)`/;
const BUILT = /Failed to (?:download and )?build `([\w.-]+?)(?:==[^`]*)?`/;
const CAUSE = /^\s*(?:cause: |× |[├╰]─▶ )(\S.*)$/;

/** Whether uv understands all that is asked as pip does. */
export function uvCanInstall({ reach, lines, constraints }: Requirements): boolean {
  const isKnown = (line: string) =>
    !line.startsWith('-') || KNOWN_OPTION.test(line) || /^--?(?:i|f|index|extra|find)/.test(line);
  return reach !== 'bundle' && [...lines, ...constraints].every(isKnown);
}

export function uvArguments(venv: string): string[] {
  return ['pip', 'install', '--python', join(venv, 'bin/python'), ...QUIET, ...ALIKE];
}

/** @param index empty: that of uv itself. */
export function uvEnvironment(index: string, extra: readonly string[]): Record<string, string> {
  return {
    UV_PYTHON_DOWNLOADS: 'never',
    UV_KEYRING_PROVIDER: 'disabled',
    ...(index !== '' && { UV_INDEX_URL: index }),
    ...(extra.length > 0 && { UV_EXTRA_INDEX_URL: extra.join(' ') }),
    ...(existsSync(AUTHORITIES) && { SSL_CERT_FILE: AUTHORITIES }),
  };
}

/** The first line of what went wrong; `unreachable` for an index that does not answer. */
export function uvCause(lines: readonly string[], ending: string): string {
  if (lines.some((line) => UNREACHABLE.test(line))) return 'unreachable';
  const built = lines.map((line) => BUILT.exec(line)?.[1]).find((name) => name !== undefined);
  const reasons = lines.flatMap((line, i) => {
    const begun = CAUSE.exec(line)?.[1];
    return begun === undefined ? [] : sentence(begun, lines.slice(i + 1));
  });
  const because = reasons.find((reason) => reason.startsWith('Because '));
  const own = built === undefined || because !== undefined ? because : diagnose(lines)?.line;
  const first = lines.find((line) => line.startsWith('error: '))?.slice('error: '.length);
  return withPackage(own ?? reasons.at(-1) ?? first ?? `uv ${ending}`, built ?? null);
}

/** Older versions break lines where a terminal would. */
function sentence(begun: string, next: readonly string[]): string {
  if (!begun.startsWith('Because ')) return begun;
  let text = begun;
  for (const line of next) {
    if (text.endsWith('.') || !/^\s+[\w`]/.test(line)) break;
    text += ` ${line.trim()}`;
  }
  return text;
}

/** The package that is there as source only, where nothing may be built. */
export function withoutWheel(lines: readonly string[]): string | null {
  return lines.map((line) => NO_WHEEL.exec(line)?.[1]).find((name) => name !== undefined) ?? null;
}

/** What pip is set up with on this machine, by what `pip config list` prints: uv does not read it. */
export function pipConfiguration(
  lines: readonly string[],
): Record<'index-url' | 'extra-index-url' | 'find-links', string> {
  const found = { 'index-url': '', 'extra-index-url': '', 'find-links': '' };
  for (const line of lines) {
    const [, name, value] =
      /^(?:global|install|:env:)\.([\w-]+)=(['"])(.*)\2$/
        .exec(line)
        ?.filter((part) => !/^['"]$/.test(part)) ?? [];
    if (name === 'index-url' || name === 'extra-index-url' || name === 'find-links')
      found[name] = value ?? '';
  }
  return found;
}
