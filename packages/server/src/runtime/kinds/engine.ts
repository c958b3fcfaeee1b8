// Engines: how content of one manifest appmode is restored, rendered or launched.
import type { Manifest, Parameter } from '@pressroom/api/contract';
import type { Config } from '../../main/config/settings.ts';
import type { Installations } from '../installations.ts';
import type { Command } from '../sandbox/command.ts';
import type { Tool } from '../sandbox/docker/runtime-image.ts';
import type { Launcher } from '../sandbox/launcher.ts';

export type Language = 'R' | 'Python';

/** The restored interpreter and packages of content; kept until its next deploy. */
export interface Environment {
  readonly language: Language | null;
  /** Version of the interpreter, such as "4.2.2". */
  readonly version: string;
  /** The interpreter to run: Rscript, or the python of a virtual environment. */
  readonly file: string;
  /** Variables that processes need to find the packages, such as R_LIBS. */
  readonly env: Readonly<Record<string, string>>;
  /** Paths it must be able to read; the restored directory first. */
  readonly readable: readonly string[];
  /** The id of the interpreter's image; absent for one of this machine. */
  readonly image?: string;
  /** The image's own interpreter, if `file` is in a virtual environment. */
  readonly base?: string;
  /** Directories of the interpreter beyond the system's; absent if there are none. */
  readonly interpreter?: readonly string[];
}

/** A program that runs content, in addition to its language. */
export interface Program {
  /** Its name on the server page; null for none. */
  readonly name: string | null;
  /** Its version or path; empty if it is missing. */
  version(config: Config, installations: Installations): Promise<string>;
  /** @throws ApiError 39 naming the missing setting. */
  find(config: Config, installations: Installations): Environment | Promise<Environment>;
}

interface Building {
  /** First line of the task output, in everyday terms. */
  readonly building: string;
}

/** Files served as deployed. */
export interface FilesEngine extends Building {
  readonly kind: 'files';
}

export interface RenderRequest {
  readonly launcher: Launcher;
  readonly runAs: string | null;
  /** The content item. */
  readonly content?: string;
  readonly manifest: Manifest;
  /** The bundle's files, owned by the rendering account. */
  readonly source: string;
  /** Where output to be served goes, `index.html` first; empty, and owned by that account too. */
  readonly output: string;
  readonly environment: Environment;
  /** Environments of further languages in the document. */
  readonly others?: readonly Environment[];
  /** The rendering program, for engines with a `program`. */
  readonly program?: Environment;
  /** The publisher's variables, and those of the server. */
  readonly env: Readonly<Record<string, string>>;
  /** A JSON file with validated parameter values by name; absent for those of the source. */
  readonly values?: string;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Documents, rendered at deploy, on schedule and on request. */
export interface DocumentEngine extends Building {
  readonly kind: 'document';
  /** Null if `languagesOf` decides. */
  readonly language: Language | null;
  readonly languagesOf?: (manifest: Manifest) => readonly Language[];
  /** The rendering program, in addition to its language. */
  readonly program?: Program;
  /** Python packages that run it, in addition to those of the content. */
  readonly tools?: readonly Tool[];
  /**
   * Its parameters. @param source the extracted bundle. Empty for sites, and for files that cannot be read: rendering
   * reports the error.
   */
  parameters(source: string, manifest: Manifest): Promise<Parameter[]>;
  /** @throws ApiError 1 with the first line of the document's error. */
  render(request: RenderRequest): Promise<void>;
}

/** The fields of a manifest for launching an application. */
export type LaunchManifest = Pick<Manifest, 'appmode' | 'entrypoint' | 'primary_rmd'>;

export interface Application {
  readonly manifest: LaunchManifest;
  /** The bundle's files. */
  readonly directory: string;
  readonly environment: Environment;
  /** Unix socket to listen on. */
  readonly socket: string;
  /** Loopback port to listen on, for programs that cannot use a socket. */
  readonly port: number;
  /** A private, writable directory. */
  readonly temporary: string;
}

/** Applications, started on demand. */
export interface ApplicationEngine extends Building {
  readonly kind: 'application';
  /** Null if only `program` is needed. */
  readonly language: Language | null;
  readonly program?: Program;
  /** Python packages that run it, in addition to those of the content. */
  readonly tools?: readonly Tool[];
  /** Installs missing dependencies in the bundle's directory before the first process starts. */
  readonly install?: (directory: string) => Command;
  /** Logged when a process starts. */
  readonly launching: string;
  /** Tag of its processes in the list of jobs. */
  readonly tag: 'run_app' | 'run_api' | 'run_tensorflow';
  /** Whether visitors have sessions over a WebSocket, which are recorded and survive short disconnections. */
  readonly sessions: boolean;
  /** Whether loading a page counts as a visit. */
  readonly countsVisits: boolean;
  /** Whether processes keep state of visitors, who must return to the same one. */
  readonly remembersVisitors: boolean;
  readonly listens: 'socket' | 'port';
  /**
   * Packages or modules that its framework loads: a process that has loaded these, and those of the content, can be
   * forked. Absent for kinds without prepared processes. The first argument of its command that is no option must be
   * one of our scripts.
   */
  readonly prepares?: readonly string[];
  command(application: Application): Command;
}

export type Engine = FilesEngine | DocumentEngine | ApplicationEngine;
