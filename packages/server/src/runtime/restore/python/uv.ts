// Differences between uv and pip: arguments and error messages. uv installs the same, faster.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { diagnose } from '@pressroom/api/publish';
import { withPackage } from './failed-package.ts';
import type { Requirements } from './python-requirements.ts';

/** Like Debian's pip, uses certificate authorities added by an administrator. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const QUIET = ['--no-config', '--no-cache', '--no-progress', '--color=never'];
/** Like pip: the best version of all indexes, compiled, with its own copies of files. */
const ALIKE = ['--index-strategy=unsafe-best-match', '--compile-bytecode', '--link-mode=copy'];
const KNOWN_OPTION = /^--(?:no-binary|only-binary)\b/;
const UNREACHABLE =
  /^\s*cause: (?:client error \(Connect\)|dns error|error sending request)|error sending request for url/;
const NO_WHEEL = /Wheels are required for `([\w.-]+)`/;
const BUILT = /Failed to (?:download and )?build `([\w.-]+?)(?:==[^`]*)?`/;
const CAUSE = /^\s*(?:cause: |× |[├╰]─▶ )(\S.*)$/;

/** Whether uv treats all requirements as pip does. */
export function uvCanInstall({ reach, lines, constraints }: Requirements): boolean {
  const isKnown = (line: string) =>
    !line.startsWith('-') || KNOWN_OPTION.test(line) || /^--?(?:i|f|index|extra|find)/.test(line);
  return reach !== 'bundle' && [...lines, ...constraints].every(isKnown);
}

export function uvArguments(venv: string): string[] {
  return ['pip', 'install', '--python', join(venv, 'bin/python'), ...QUIET, ...ALIKE];
}

/** @param index empty for uv's own. @param proxy empty for none */
export function uvEnvironment(
  index: string,
  extra: readonly string[],
  proxy: string,
): Record<string, string> {
  return {
    UV_PYTHON_DOWNLOADS: 'never',
    UV_KEYRING_PROVIDER: 'disabled',
    ...(index !== '' && { UV_INDEX_URL: index }),
    ...(extra.length > 0 && { UV_EXTRA_INDEX_URL: extra.join(' ') }),
    ...(proxy !== '' && { ALL_PROXY: proxy }),
    ...(existsSync(AUTHORITIES) && { SSL_CERT_FILE: AUTHORITIES }),
  };
}

/** The first line of an error; `unreachable` for an unresponsive index. */
export function uvCause(lines: readonly string[], ending: string): string {
  if (lines.some((line) => UNREACHABLE.test(line))) return 'unreachable';
  const built = lines.map((line) => BUILT.exec(line)?.[1]).find((name) => name !== undefined);
  const reasons = lines.flatMap((line, i) => {
    const begun = CAUSE.exec(line)?.[1];
    return begun === undefined ? [] : sentence(begun, lines.slice(i + 1));
  });
  const because = reasons.find((reason) => reason.startsWith('Because '));
  const own = built === undefined || because !== undefined ? because : ofBuild(lines);
  const first = lines.find((line) => line.startsWith('error: '))?.slice('error: '.length);
  return withPackage(own ?? reasons.at(-1) ?? first ?? `uv ${ending}`, built ?? null);
}

/** What a failed build says. */
function ofBuild(lines: readonly string[]): string | undefined {
  const cause = diagnose(lines);
  if (cause !== null && cause.kind !== 'other') return cause.line;
  const start = lines.findIndex((line) => line.trim() === '[stderr]');
  const printed = start === -1 ? undefined : lines[start + 1]?.trim();
  return printed === undefined || printed === '' ? cause?.line : printed;
}

/** Older versions wrap lines like a terminal. */
function sentence(begun: string, next: readonly string[]): string {
  if (!begun.startsWith('Because ')) return begun;
  let text = begun;
  for (const line of next) {
    if (text.endsWith('.') || !/^\s+[\w`]/.test(line)) break;
    text += ` ${line.trim()}`;
  }
  return text;
}

/** The package that exists as source only, although builds are not allowed. */
export function withoutWheel(lines: readonly string[]): string | null {
  return lines.map((line) => NO_WHEEL.exec(line)?.[1]).find((name) => name !== undefined) ?? null;
}

/** pip's configuration on this machine, from `pip config list`: uv does not read it. */
export function pipConfiguration(
  lines: readonly string[],
): Record<'index-url' | 'extra-index-url' | 'find-links' | 'proxy', string> {
  const found = { 'index-url': '', 'extra-index-url': '', 'find-links': '', proxy: '' };
  for (const line of lines) {
    const [, name, value] =
      /^(?:global|install|:env:)\.([\w-]+)=(['"])(.*)\2$/
        .exec(line)
        ?.filter((part) => !/^['"]$/.test(part)) ?? [];
    if (name === 'index-url' || name === 'extra-index-url' || name === 'find-links' || name === 'proxy')
      found[name] = value ?? '';
  }
  return found;
}
