// The packages that the active deploy of a content item uses.
import type { ContentPackage } from '@pressroom/api/contract';
import { findBundle } from '../../bundles/store.ts';
import { storedManifest } from '../../bundles/stored-manifest.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { storedLaunch } from '../../runtime/launch-record.ts';
import type { ContentRow } from '../store.ts';
import { restoredPythonPackages } from './restored-packages.ts';

type Deployed = Pick<ContentRow, 'bundle_id' | 'launch' | 'restored'>;

/** Sorted by name: R from the manifest, Python from the restored environment; neither includes system packages. */
export async function packagesOf(db: Executor, content: Deployed): Promise<ContentPackage[]> {
  if (content.bundle_id === null) return [];
  const bundle = await findBundle(db, content.bundle_id);
  const { packages, python } = bundle ? storedManifest(bundle.manifest) : { packages: null, python: null };
  const inR = Object.entries(packages ?? {}).flatMap(([name, { description }]) =>
    typeof description.Version === 'string'
      ? [{ language: 'r' as const, name, version: description.Version, hash: null }]
      : [],
  );
  const directory = python && restoredFor(content);
  const inPython = directory ? await restoredPythonPackages(directory) : [];
  return [...inR, ...inPython.map((one) => ({ language: 'python' as const, ...one, hash: null }))].toSorted(
    (a, b) => a.name.localeCompare(b.name, 'en'),
  );
}

/** Null if the system's packages suffice. */
function restoredFor({ launch, restored }: Deployed): string | null {
  return launch === null ? restored : (storedLaunch(launch).environment.readable[0] ?? null);
}
