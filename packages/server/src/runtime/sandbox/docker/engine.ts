// The container engine that the settings name, and what its failures mean.
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Docker from 'dockerode';
import { messageOf } from '../../../platform/errors.ts';
import { Outage } from '../../../platform/outage.ts';

export interface EngineSettings {
  /** `unix:///run/docker.sock`, or `tcp://host:2376`. */
  readonly host: string;
  /** PEM files, for tcp; empty: none. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** The engine cannot be asked: it is not there, is too slow, or is not trusted. */
export class EngineGone extends Outage {
  override readonly name = 'EngineGone';
}

export interface Engine {
  /**
   * Asks the engine something that it answers within a minute.
   * @throws EngineGone, EngineRefusal
   */
  ask<T>(question: (docker: Docker) => Promise<T>, milliseconds?: number): Promise<T>;
}

/** What the engine answered. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
  /** Of HTTP. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** What it says of itself. */
export interface EngineInfo {
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
  readonly CgroupVersion?: string;
}

/** Starting a container of a large image on a busy machine is the slowest of its answers. */
const ANSWER_MS = 60_000;

/** @throws when a file that the settings name cannot be read. */
export function openEngine(settings: EngineSettings): Engine {
  const docker = new Docker(optionsFor(settings));
  return {
    async ask(question, milliseconds = ANSWER_MS) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Error(`no answer within ${milliseconds / 1000} seconds`)),
        milliseconds,
      );
      try {
        // An answer that breaks off settles nothing in the library.
        return await Promise.race([question(docker), late.promise]);
      } catch (error) {
        throw failureOf(error, settings.host);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** What the library takes; its types know nothing of the agent. */
type Options = Docker.DockerOptions & { readonly agent: HttpAgent };

/** Connections are not kept: those to an engine that was restarted would fail once more. */
function optionsFor({ host, ca, certificate, key }: EngineSettings): Options {
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length), agent: new HttpAgent() };
  const { hostname, port } = new URL(host.replace(/^tcp:/, 'http:'));
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
  if (ca === '') return { ...address, protocol: 'http', agent: new HttpAgent() };
  return {
    ...address,
    protocol: 'https',
    agent: new HttpsAgent(),
    ca: read('Docker.CA', ca),
    cert: read('Docker.Certificate', certificate),
    key: read('Docker.Key', key),
  };
}

function read(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`${setting} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

interface Failure {
  readonly statusCode?: number;
  readonly json?: unknown;
  readonly reason?: string;
  readonly code?: string;
}

function failureOf(error: unknown, host: string): Error {
  const { statusCode, json, reason, code } = error as Failure;
  if (statusCode === undefined) {
    const isTrust = /CERT|SSL|TLS/.test(code ?? '') || /certificate/i.test(messageOf(error));
    const settings = isTrust ? 'Docker.Host, Docker.CA, Docker.Certificate, Docker.Key' : 'Docker.Host';
    return new EngineGone(
      `the container engine at ${host} does not answer: ${messageOf(error).trim()} (${settings})`,
      {
        cause: error,
      },
    );
  }
  const { message } = (typeof json === 'object' && json !== null ? json : {}) as { message?: string };
  return new EngineRefusal(statusCode, (message ?? reason ?? messageOf(error)).trim(), { cause: error });
}
