// Reads the manifest of an uploaded bundle, off the event loop where it is large (contract, section 4.3).
import { isUtf8 } from 'node:buffer';
import {
  findKind,
  ManifestError,
  parseManifest,
  quoteName,
  type AppMode,
  type Manifest,
} from '@pressroom/api/contract';
import { PARSED_AT_ONCE } from '../../platform/reduce-in-thread.ts';
import { reduceManifest } from './manifest-worker.ts';
import { badManifest } from './refusals.ts';

/** The app_mode values that a deployed bundle can have. */
export type DeployedAppMode = Exclude<AppMode, 'unknown'>;

/**
 * @param bytes the file as it is in the archive
 * @throws ApiError 38 saying what is wrong
 */
export async function readManifest(bytes: Uint8Array): Promise<Manifest> {
  try {
    const manifest = parseManifest(await kept(bytes));
    appModeOf(manifest.appmode);
    return manifest;
  } catch (error) {
    throw error instanceof ManifestError ? badManifest(error.problem, error) : error;
  }
}

/** The part of a manifest that the server uses. */
async function kept(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length <= PARSED_AT_ONCE || !isUtf8(bytes)) return bytes;
  return Buffer.from(await reduceManifest(bytes));
}

/**
 * The contract's app_mode for a manifest's appmode.
 * @throws ApiError 38 naming an appmode that this server does not know
 */
export function appModeOf(appmode: string): DeployedAppMode {
  const kind = findKind(appmode);
  if (!kind) throw badManifest(`appmode ${quoteName(appmode)} is not supported by this server`);
  return kind.app_mode;
}
