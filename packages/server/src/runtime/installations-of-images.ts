// The R and Python installations of container images.
import type { Installations, PythonInstallation, RInstallation } from './installations.ts';
import type { RuntimeImage } from './sandbox/docker/runtime-image.ts';

/** One per version: the first image wins. */
export function createImageInstallations(images: readonly RuntimeImage[]): Installations {
  const r = images.flatMap((image) => rOf(image) ?? []).filter(isFirst);
  const python = images.flatMap((image) => pythonOf(image) ?? []).filter(isFirst);
  const node = images.find((image) => image.node !== null);
  return {
    anyImage: images[0]?.id ?? null,
    listR: async () => r,
    listPython: async () => python,
    findR: async () => r[0] ?? null,
    findPython: async () => python[0] ?? null,
    findNode: async () => (node?.node ? { ...node.node, image: node.id, imageName: node.name } : null),
    // Images have pip only.
    findUv: async () => null,
    // Not detected in images yet.
    findQuarto: async () => null,
    findTensorFlow: async (file) =>
      file !== '' && images[0] ? { version: '', file, image: images[0].id, imageName: images[0].name } : null,
  };
}

function isFirst({ version }: { version: string }, at: number, all: readonly { version: string }[]): boolean {
  return all.findIndex((one) => one.version === version) === at;
}

function rOf({ id, name, system, r }: RuntimeImage): RInstallation | null {
  if (r === null) return null;
  const { version, file, platform, repository, packages } = r;
  return {
    version,
    file,
    image: id,
    imageName: name,
    program: file.replace(/script$/, ''),
    // The cache separates platforms: code compiled on one Linux need not run on another.
    platform: `${platform}-${system}`,
    repository,
    libraries: [],
    packages,
    readable: [],
  };
}

function pythonOf({ id, name, python }: RuntimeImage): PythonInstallation | null {
  if (python === null) return null;
  const { version, file, hasPip, tools } = python;
  return { version, file, image: id, imageName: name, hasPip, isSystem: true, tools, readable: [] };
}
