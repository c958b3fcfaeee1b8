// The configured container engine, and its errors.
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Docker from 'dockerode';
import { messageOf } from '../../../platform/errors.ts';
import { Outage } from '../../../platform/outage.ts';

export interface EngineSettings {
  /** `unix:///run/docker.sock`, or `tcp://host:2376`. */
  readonly host: string;
  /** PEM files, for tcp; empty for none. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** The engine is unreachable, too slow, or not trusted. */
export class EngineGone extends Outage {
  override readonly name = 'EngineGone';
}

export interface Engine {
  /**
   * Sends a request that the engine answers within a minute.
   * @throws EngineGone, EngineRefusal
   */
  ask<T>(question: (docker: Docker) => Promise<T>, milliseconds?: number): Promise<T>;
}

/** An error response of the engine. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
  /** HTTP status. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The engine's description of itself. */
export interface EngineInfo {
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
  readonly CgroupVersion?: string;
}

/** Milliseconds for a response; starting a container of a large image on a busy machine is the slowest. */
const RESPONSE_MS = 60_000;

/** @throws if a configured file cannot be read. */
export function openEngine(settings: EngineSettings): Engine {
  const docker = new Docker(optionsFor(settings));
  return {
    async ask(question, milliseconds = RESPONSE_MS) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Error(`no response within ${milliseconds / 1000} seconds`)),
        milliseconds,
      );
      try {
        // The library never settles if a response breaks off.
        return await Promise.race([question(docker), late.promise]);
      } catch (error) {
        throw failureOf(error, settings.host);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** The library's options; its types lack the agent. */
type Options = Docker.DockerOptions & { readonly agent: HttpAgent };

/** Connections are not kept alive: those to a restarted engine would fail once. */
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
      `the container engine at ${host} does not respond: ${messageOf(error).trim()} (${settings})`,
      {
        cause: error,
      },
    );
  }
  const { message } = (typeof json === 'object' && json !== null ? json : {}) as { message?: string };
  return new EngineRefusal(statusCode, (message ?? reason ?? messageOf(error)).trim(), { cause: error });
}
