// What an image of the engine offers to content, as it said itself when it was looked at.
import type { Description } from '../../restore/r-library.ts';

export interface RuntimeImage {
  /** As Docker.Images names it. */
  readonly name: string;
  /** Of exactly what is in it: another one once it was made anew under the same name. */
  readonly id: string;
  /** Of its Linux, such as "debian-12": what is compiled for one need not run on another. */
  readonly system: string;
  readonly r: ImageR | null;
  readonly python: ImagePython | null;
  readonly node: ImageProgram | null;
  /** Such as "2.17"; null: it cannot render R Markdown. */
  readonly pandoc: string | null;
}

export interface ImageProgram {
  readonly version: string;
  /** Path in the image. */
  readonly file: string;
}

export interface ImageR extends ImageProgram {
  readonly platform: string;
  readonly repository: string | null;
  /** All that is installed; of two of the same name, the one that R would find. */
  readonly packages: readonly Description[];
}

export interface ImagePython extends ImageProgram {
  readonly hasPip: boolean;
  /** Those of TOOLS that it has. */
  readonly tools: readonly string[];
}

/** Python packages that run and render content. */
export const TOOLS = ['uvicorn', 'websockets', 'gunicorn', 'ipykernel', 'nbconvert'] as const;
export type Tool = (typeof TOOLS)[number];
