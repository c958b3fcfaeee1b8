// Manifests as the database keeps them: JSON of what the archive's own said, checked at its upload.
import type { Manifest } from '@pressroom/api/contract';

export function storedManifest(json: string): Manifest {
  return JSON.parse(json) as Manifest;
}
