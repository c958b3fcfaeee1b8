// What an engine is: how content of one manifest appmode is restored, rendered or launched.
import type { Manifest, Parameter } from '@pressroom/api/contract';
import type { Config } from '../../main/config/settings.ts';
import type { Installations } from '../installations.ts';
import type { Command } from '../sandbox/command.ts';
import type { Tool } from '../sandbox/docker/runtime-image.ts';
import type { Launcher } from '../sandbox/launcher.ts';

export type Language = 'R' | 'Python';

/** The interpreter and packages that content was restored with; kept with the content until its next deploy. */
export interface Environment {
  readonly language: Language | null;
  /** Of the interpreter, such as "4.2.2". */
  readonly version: string;
  /** The interpreter to run: Rscript, or the python of a virtual environment. */
  readonly file: string;
  /** What a process needs to find the packages, such as R_LIBS. */
  readonly env: Readonly<Record<string, string>>;
  /** What it must be able to read; the directory that was restored for it first. */
  readonly readable: readonly string[];
  /** The id of the image that has the interpreter; absent where it is one of this machine. */
  readonly image?: string;
  /** The image's own interpreter, where `file` may be that of a virtual environment. */
  readonly base?: string;
  /** Directories of the interpreter that are not the system's; absent where there are none. */
  readonly interpreter?: readonly string[];
}

/** What runs content, beside its language. */
export interface Program {
  /** As the page of the server calls it; null for what needs nothing. */
  readonly name: string | null;
  /** Its version, or where it is; empty where it is missing. */
  version(config: Config, installations: Installations): Promise<string>;
  /** @throws ApiError 39 naming the setting that is missing. */
  find(config: Config, installations: Installations): Environment | Promise<Environment>;
}

interface Building {
  /** What the task's output says first, in the words people know. */
  readonly building: string;
}

/** Files as deployed. */
export interface FilesEngine extends Building {
  readonly kind: 'files';
}

export interface RenderRequest {
  readonly launcher: Launcher;
  readonly runAs: string | null;
  /** The content item. */
  readonly content?: string;
  readonly manifest: Manifest;
  /** The bundle's files; the account that renders owns them. */
  readonly source: string;
  /** Where what is to be served goes, `index.html` first; empty, and owned by that account too. */
  readonly output: string;
  readonly environment: Environment;
  /** Of further languages that its code is in. */
  readonly others?: readonly Environment[];
  /** What renders it, for engines with a `program`. */
  readonly program?: Environment;
  /** The publisher's variables, and those that content gets from the server. */
  readonly env: Readonly<Record<string, string>>;
  /** A JSON file with checked values for its parameters, by name; absent for those of the source. */
  readonly values?: string;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Rendered when deployed, on a schedule and on request. */
export interface DocumentEngine extends Building {
  readonly kind: 'document';
  /** Null where `languagesOf` says it. */
  readonly language: Language | null;
  readonly languagesOf?: (manifest: Manifest) => readonly Language[];
  /** What renders it, beside its language. */
  readonly program?: Program;
  /** Packages of Python that run it, beside those of the content. */
  readonly tools?: readonly Tool[];
  /**
   * What it takes. @param source the extracted bundle; empty for sites, and for what cannot be read: the rendering says why.
   */
  parameters(source: string, manifest: Manifest): Promise<Parameter[]>;
  /** @throws ApiError 1 with the first line of the error that the document gave. */
  render(request: RenderRequest): Promise<void>;
}

/** The parts of a manifest that an application is launched by. */
export type LaunchManifest = Pick<Manifest, 'appmode' | 'entrypoint' | 'primary_rmd'>;

export interface Application {
  readonly manifest: LaunchManifest;
  /** The bundle's files. */
  readonly directory: string;
  readonly environment: Environment;
  /** Unix socket to listen on. */
  readonly socket: string;
  /** Loopback port to listen on, for what cannot listen on a socket. */
  readonly port: number;
  /** A private, writable directory. */
  readonly temporary: string;
}

/** Run on demand. */
export interface ApplicationEngine extends Building {
  readonly kind: 'application';
  /** Null for what needs neither: `program` says what runs it then. */
  readonly language: Language | null;
  readonly program?: Program;
  /** Packages of Python that run it, beside those of the content. */
  readonly tools?: readonly Tool[];
  /** What is run in the bundle's directory before the first process starts: it gets there what the bundle does not bring. */
  readonly install?: (directory: string) => Command;
  /** What the process log says when a process starts. */
  readonly launching: string;
  /** What its processes are called in the list of jobs. */
  readonly tag: 'run_app' | 'run_api' | 'run_tensorflow';
  /** Whether its visitors have sessions over a WebSocket, which are recorded and survive a short loss of connection. */
  readonly sessions: boolean;
  /** Whether loading one of its pages is a visit. */
  readonly countsVisits: boolean;
  /** Whether a process remembers its visitors, so that they come back to it. */
  readonly remembersVisitors: boolean;
  readonly listens: 'socket' | 'port';
  /**
   * Packages, or modules, that its framework loads: a process that has loaded them, and those that the content names, can
   * be forked. Absent for what is not prepared. The first argument of its command that is no option is a script of ours.
   */
  readonly prepares?: readonly string[];
  command(application: Application): Command;
}

export type Engine = FilesEngine | DocumentEngine | ApplicationEngine;
