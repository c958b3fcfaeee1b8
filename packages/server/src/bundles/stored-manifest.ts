// Manifests as stored in the database: JSON of the archive's manifest, checked at upload.
import type { Manifest } from '@pressroom/api/contract';

export function storedManifest(json: string): Manifest {
  return JSON.parse(json) as Manifest;
}
