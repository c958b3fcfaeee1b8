// The configured container engine, and its errors.
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
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
   * Sends a request that the engine answers within a minute, or within 15 seconds while it owes the response to another;
   * fails at once while it is known not to respond.
   * @param onLate receives a response that comes too late
   * @throws EngineGone, EngineRefusal
   */
  ask<T>(
    question: (docker: Docker) => Promise<T>,
    milliseconds?: number,
    onLate?: (late: T) => void,
  ): Promise<T>;
}

export interface OpenEngine extends Engine, Disposable {
  readonly info: EngineInfo;
  /** False from a request that it did not answer until it answers a ping, and while it owes the response to one. */
  readonly responds: boolean;
}

/** For the log of the server. */
export interface EngineEvent {
  readonly level: 'info' | 'error';
  readonly message: string;
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
  /** Processors. */
  readonly NCPU?: number;
}

/** Milliseconds for a response; starting a container of a large image on a busy machine is the slowest. */
const RESPONSE_MS = 60_000;
const FIRST_MS = 15_000;
const PING_MS = 5000;
const SILENT = 'no response to a ping';
const BACK = 'the container engine answers again';
/** Milliseconds of a request until it is asked whether the engine responds at all. */
const SLOW_MS = 10_000;
/** Milliseconds for a response of an engine that did not answer another request in time, although it answers pings. */
const OWING_MS = 15_000;
const RETRY_MS = 1000;

/**
 * @param onEvent called when the engine stops responding, and when it is back
 * @throws Error that names the setting: a configured file cannot be read, or there is no engine.
 */
export async function openEngine(
  settings: EngineSettings,
  onEvent: (event: EngineEvent) => void,
): Promise<OpenEngine> {
  const options = optionsFor(settings);
  const docker = new Docker(options);
  /** Requests without a response. */
  const waiting = new Set<(reason: string) => void>();
  let isChecking = false;
  let isClosed = false;
  let gone: EngineGone | null = null;
  /** Responses that did not come in time, and may yet. */
  const owed = new Set<Promise<unknown>>();

  function owe(answer: Promise<unknown>, reason: string): void {
    if (owed.size === 0)
      onEvent({ level: 'error', message: goneBy(new Error(reason), settings.host).message });
    owed.add(answer);
    const settle = () => {
      if (owed.delete(answer) && owed.size === 0 && !isClosed) onEvent({ level: 'info', message: BACK });
    };
    answer.then(settle, settle);
  }

  async function send<T>(
    question: (client: Docker) => Promise<T>,
    milliseconds: number,
    onLate: (late: T) => void = () => undefined,
    onOverdue: typeof owe = () => undefined,
  ): Promise<T> {
    const answer = question(docker);
    const late = Promise.withResolvers<never>();
    const giveUp = (reason: string) => {
      // An engine that hangs may take up the request later. Waiting for it does not keep this process running.
      for (const sockets of Object.values(options.agent.sockets))
        for (const one of sockets ?? []) one.unref();
      answer.then(onLate, () => undefined);
      late.reject(new Error(reason));
    };
    const timer = setTimeout(() => {
      const reason = `no response within ${milliseconds / 1000} seconds`;
      giveUp(reason);
      onOverdue(answer, reason);
    }, milliseconds);
    waiting.add(giveUp);
    try {
      // The library never settles if a response breaks off.
      return await Promise.race([answer, late.promise]);
    } catch (error) {
      throw failureOf(error, settings.host);
    } finally {
      clearTimeout(timer);
      waiting.delete(giveUp);
    }
  }

  /** One slow response need not mean that it is gone. */
  async function check(reason: EngineGone): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    while (!(await answersPing()) && !isClosed) {
      if (gone === null) onEvent({ level: 'error', message: reason.message });
      gone = reason;
      for (const giveUp of waiting) giveUp(SILENT);
      await delay(RETRY_MS, undefined, { ref: false });
    }
    if (gone !== null) {
      if (!isClosed) onEvent({ level: 'info', message: BACK });
      // The library may never settle those of an engine that ended.
      owed.clear();
    }
    gone = null;
    isChecking = false;
  }

  const answersPing = () =>
    send((client) => client.ping(), PING_MS).then(
      () => true,
      (error: unknown) => !(error instanceof EngineGone),
    );

  return {
    info: await describeEngine(send, settings.host),
    get responds() {
      return gone === null && owed.size === 0;
    },
    async ask(question, milliseconds, onLate) {
      if (gone !== null) throw gone;
      const slow = setTimeout(() => void check(goneBy(new Error(SILENT), settings.host)), SLOW_MS);
      try {
        // Some requests are not waited for as long: a late response to them tells nothing about the engine.
        return milliseconds === undefined
          ? await send(question, owed.size === 0 ? RESPONSE_MS : OWING_MS, onLate, owe)
          : await send(question, milliseconds, onLate);
      } catch (error) {
        if (error instanceof EngineGone) void check(error);
        throw error;
      } finally {
        clearTimeout(slow);
      }
    },
    [Symbol.dispose]: () => {
      isClosed = true;
    },
  };
}

/** @throws an Error that names the setting. */
async function describeEngine(
  send: (question: (docker: Docker) => Promise<EngineInfo>, milliseconds: number) => Promise<EngineInfo>,
  host: string,
): Promise<EngineInfo> {
  const info = await send((client) => client.info() as Promise<EngineInfo>, FIRST_MS).catch(
    (error: unknown) => {
      if (error instanceof EngineGone) throw error;
      throw new Error(`Docker.Host: the engine returned: ${messageOf(error)}`, { cause: error });
    },
  );
  if (typeof info.NCPU !== 'number')
    throw new Error(`Docker.Host: what responds at ${host} is no container engine`);
  return info;
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

function failureOf(error: unknown, host: string): EngineGone | EngineRefusal {
  const { statusCode, json, reason } = error as Failure;
  if (statusCode === undefined) return goneBy(error, host);
  const { message } = (typeof json === 'object' && json !== null ? json : {}) as { message?: string };
  return new EngineRefusal(statusCode, (message ?? reason ?? messageOf(error)).trim(), { cause: error });
}

function goneBy(cause: unknown, host: string): EngineGone {
  const why = messageOf(cause).trim();
  const isTrust = /CERT|SSL|TLS/.test((cause as Failure).code ?? '') || /certificate/i.test(why);
  const settings = isTrust ? 'Docker.Host, Docker.CA, Docker.Certificate, Docker.Key' : 'Docker.Host';
  return new EngineGone(`the container engine at ${host} does not respond: ${why} (${settings})`, { cause });
}
