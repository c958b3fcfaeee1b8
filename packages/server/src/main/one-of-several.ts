// This process as one of several that serve one address.
import { Socket } from 'node:net';
import type { Config } from './config/settings.ts';

/** Set for each process: its number, from 1. */
export const PROCESS = 'PRESSROOM_PROCESS';
/** File descriptor of a socket to the process that started all of them. */
export const PARENT_FD = 4;

/** From 1; null for a server of one process. */
export function processNumber(): number | null {
  const number = process.env[PROCESS];
  return number === undefined ? null : Number(number);
}

/** Ports that the processes cannot share follow each other. */
export function settingsOfProcess(config: Config, number: number): Config {
  const moved = (name: 'Cluster.Listen' | 'Cluster.Address' | 'Metrics.PrometheusListen') => ({
    [name]: config[name].replace(/\d+$/, (port) => String(Number(port) + number - 1)),
  });
  return {
    ...config,
    ...moved('Cluster.Listen'),
    ...moved('Cluster.Address'),
    ...moved('Metrics.PrometheusListen'),
  };
}

/** The settings of each process of the server; in one of them, its own. */
export function settingsOfProcesses(config: Config): readonly Config[] {
  if (processNumber() !== null) return [config];
  return Array.from({ length: config['Server.Processes'] }, (_, index) =>
    settingsOfProcess(config, index + 1),
  );
}

/** Tells the process that started this one where it listens, and stops when that one is gone. */
export function tellListening(url: string): void {
  const parent = new Socket({ fd: PARENT_FD });
  parent.on('error', () => undefined);
  parent.once('close', () => process.kill(process.pid, 'SIGTERM'));
  parent.resume().unref().write(`${url}\n`);
}
