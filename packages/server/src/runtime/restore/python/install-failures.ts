// Why Python packages do not install, in words for the publisher.
import { errors, type ApiError } from '@pressroom/api/contract';
import type { Ending } from '../../sandbox/launcher.ts';
import { isAddress } from './python-line.ts';
import type { Requirements } from './python-requirements.ts';
import { uvCause, withoutWheel } from './uv.ts';

const UNREACHABLE = 'the package index cannot be reached; an administrator can set Python.Index';
const NO_NETWORK = 'content may not use the network here (Applications.NetworkAccess)';

export function failed(cause: string): ApiError {
  return errors.internal({ message: `the Python packages do not install: ${cause}` });
}

export const unreachable = () => failed(UNREACHABLE);

export function sourceOnly(name: string): ApiError {
  return failed(`${name} has no wheel, and building it from source needs the network: ${NO_NETWORK}`);
}

/** @param lines printed by uv */
export function uvFailed(lines: readonly string[], { outOfMemory, message }: Ending): ApiError {
  const name = withoutWheel(lines);
  if (name !== null) return sourceOnly(name);
  const cause = outOfMemory ? message : uvCause(lines, message);
  return cause === 'unreachable' ? unreachable() : failed(cause);
}

/** @throws ApiError 1 for requirements that run code of packages with network access. */
export function requireNoNetwork({ lines, others }: Requirements): void {
  const built = lines.find((line) => /^--no-binary\b/.test(line));
  if (built !== undefined)
    throw failed(`${built} asks to build packages, which needs the network: ${NO_NETWORK}`);
  const address = others.find(isAddress);
  if (address !== undefined)
    throw failed(
      `${address.slice(0, 120)} is asked from another machine, and ${NO_NETWORK}; put a wheel into the bundle`,
    );
}
