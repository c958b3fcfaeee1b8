// The contents of an image, as probed.
import type { Description } from '../../restore/r/r-library.ts';

export interface RuntimeImage {
  /** Name in Docker.Images. */
  readonly name: string;
  /** Identifies the content of the image: changes when it is rebuilt under the same name. */
  readonly id: string;
  /** Its Linux distribution, such as "debian-12": compiled code of one need not run on another. */
  readonly system: string;
  readonly r: ImageR | null;
  readonly python: ImagePython | null;
  readonly node: ImageProgram | null;
  /** Such as "2.17"; null if it cannot render R Markdown. */
  readonly pandoc: string | null;
  /** Whether commits can be fetched in it. */
  readonly git: boolean;
}

export interface ImageProgram {
  readonly version: string;
  /** Path in the image. */
  readonly file: string;
}

export interface ImageR extends ImageProgram {
  readonly platform: string;
  readonly repository: string | null;
  /** All installed packages; of duplicates, the one that R would find. */
  readonly packages: readonly Description[];
}

export interface ImagePython extends ImageProgram {
  readonly hasPip: boolean;
  /** Those of TOOLS that are installed. */
  readonly tools: readonly string[];
}

/** Python packages for running and rendering content. */
export const TOOLS = ['uvicorn', 'websockets', 'gunicorn', 'ipykernel', 'nbconvert'] as const;
export type Tool = (typeof TOOLS)[number];
