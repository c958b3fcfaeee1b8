// The data directory, key, disk and port that a start needs. Changes nothing.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PINNING } from '../../git/run-git.ts';
import { splitAddress } from '../../http/listen-address.ts';
import { claimDataDirectory, DataDirectoryInUse } from '../../platform/claim-data-directory.ts';
import { isReadOnly, nearest } from '../../platform/directories.ts';
import { errnoOf, messageOf } from '../../platform/errors.ts';
import { strangerIn } from '../../platform/make-data-directory.ts';
import { readLimited } from '../../platform/read-limited.ts';
import { findTool } from '../../runtime/sandbox/tools.ts';
import { contentListenAddress } from '../../visitors/origin-findings.ts';
import { tooOld } from '../config/node-version.ts';
import type { Config } from '../config/settings.ts';
import { settingsOfProcesses } from '../one-of-several.ts';
import { MAX_PING_BYTES, PING } from './check-network.ts';
import { bad, good, warning, type Finding } from './finding.ts';

const PING_MS = 5000;

export function checkNode(version = process.versions.node): Finding {
  const old = tooOld(version);
  return old === null
    ? good('Node', version)
    : bad('Node', old, 'Or run this with npm in the repository, which brings its own.');
}

/** @param dataDir absolute */
export function checkDataDirectory(config: Config, dataDir: string): Finding[] {
  const place = nearest(dataDir);
  const found = checkWritable(dataDir, place);
  if (found.state === 'bad' || place !== dataDir) return [found];
  return [found, ...inUse(config, dataDir), ...checkKey(config, dataDir)];
}

/** @param place the directory itself, or its closest existing parent */
export function checkWritable(dataDir: string, place: string): Finding {
  const what = 'Data directory';
  if (!statSync(place).isDirectory()) return bad(what, `${place} is no directory`, 'Set Server.DataDir.');
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch {
    if (isReadOnly(place))
      return bad(what, `the disk of ${place} is read-only`, 'Make it writable, or set Server.DataDir.');
    const owner = statSync(place).uid;
    return bad(
      what,
      `${place} cannot be written to by this account (uid ${process.getuid?.()}; it belongs to ${owner})`,
      'Run this as the account that starts the server, give it the directory (chown), or set Server.DataDir.',
    );
  }
  const stranger = place === dataDir ? strangerIn(dataDir) : null;
  if (stranger !== null) return bad(what, stranger, 'Set Server.DataDir.');
  return good(what, place === dataDir ? dataDir : `${dataDir} will be made`);
}

function inUse(config: Config, dataDir: string): Finding[] {
  // A lock created here would belong to the account that runs this.
  if (config['Database.URL'] !== '' || !existsSync(join(dataDir, 'lock'))) return [];
  try {
    claimDataDirectory(dataDir)[Symbol.dispose]();
    return [];
  } catch (error) {
    if (error instanceof DataDirectoryInUse)
      return [good('Server', 'a server runs with this data directory')];
    return [bad('Lock', messageOf(error), `Give ${join(dataDir, 'lock')} to the account of the server.`)];
  }
}

function checkKey(config: Config, dataDir: string): Finding[] {
  const file = join(dataDir, 'secret.key');
  if (config['Secrets.Key'] !== '') return [good('Secret key', 'set in Secrets.Key')];
  if (!existsSync(file)) {
    return existsSync(join(dataDir, 'pressroom.sqlite'))
      ? [
          bad(
            'Secret key',
            `there is a database, but no ${file}`,
            'Restore it from a backup, or set Secrets.Key.',
          ),
        ]
      : [];
  }
  try {
    if (readFileSync(file, 'utf8').trim() !== '') return [good('Secret key', file)];
    return [bad('Secret key', `${file} is empty`, 'Restore it from a backup.')];
  } catch (error) {
    return [bad('Secret key', messageOf(error), 'Run this as the account that starts the server.')];
  }
}

export async function checkDisk(config: Config, dataDir: string): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(nearest(dataDir));
  const free = bavail * bsize;
  const reserve = config['Applications.DiskReserve'];
  const message = `${gibibytes(free)} free; ${gibibytes(reserve)} are kept free (Applications.DiskReserve)`;
  const remedy =
    'Make room: uploads and deploys are refused. docs/operate/housekeeping.md says what can be removed.';
  if (free < reserve) return bad('Disk', message, remedy);
  if (files > 0 && ffree < files / 100)
    return warning('Disk', `fewer than 1 % of its inodes are free (${ffree})`, 'Remove small files.');
  if (free < reserve * 2)
    return warning('Disk', message, 'Make room before uploads and deploys are refused.');
  return good('Disk', message);
}

/** Whether the address can be listened on, or a Pressroom server does. */
export function checkPort(config: Config): Promise<Finding> {
  return checkListen({ what: 'Port', setting: 'HTTP.Listen', config, isOurs: isPressroom });
}

/** Checks the other ports in the settings. */
export async function checkOtherPorts(config: Config): Promise<Finding[]> {
  const content = contentListenAddress(config);
  return [
    ...(content === null || content.isAuto
      ? []
      : [
          await checkListen({
            what: 'Content port',
            setting: 'HTTP.ContentListen',
            config,
            isOurs: isPressroom,
          }),
        ]),
    ...(config['Metrics.PrometheusListen'] === ''
      ? []
      : [
          ...(await checkPortsOfProcesses({
            what: 'Metrics port',
            setting: 'Metrics.PrometheusListen',
            config,
            isOurs: hasMetrics,
          })),
        ]),
  ];
}

export interface ListenCheck {
  readonly what: string;
  readonly setting: 'HTTP.Listen' | 'HTTP.ContentListen' | 'Cluster.Listen' | 'Metrics.PrometheusListen';
  readonly config: Config;
  /** Whether a Pressroom server listens there. */
  readonly isOurs: (host: string, port: number) => Promise<boolean>;
}

/** Each process has a port of its own. One finding if all are right. */
export async function checkPortsOfProcesses(check: ListenCheck): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const config of settingsOfProcesses(check.config))
    findings.push(await checkListen({ ...check, config }));
  const wrong = findings.filter(({ state }) => state !== 'good');
  return wrong.length > 0 ? wrong : findings.slice(0, 1);
}

/** Whether a server can listen there, or does already. */
export async function checkListen({ what, setting, config, isOurs }: ListenCheck): Promise<Finding> {
  const address = config[setting];
  const { host, port } = splitAddress(address);
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return good(what, `${address} is free`);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EADDRINUSE') {
      return (await isOurs(reachable(host), port))
        ? good(what, `a Pressroom server listens on ${address}`)
        : bad(what, `another program listens on ${address}`, `Stop it, or set ${setting} to another port.`);
    }
    if (code === 'EACCES')
      return bad(
        what,
        `this account may not listen on ${address}`,
        'Use a port from 1024 up, behind a proxy.',
      );
    if (code === 'EADDRNOTAVAIL')
      return bad(
        what,
        `${host} is not an address of this machine`,
        `Set ${setting} to one of its addresses.`,
      );
    return bad(what, messageOf(error), `Set ${setting}.`);
  } finally {
    server.close();
  }
}

/** A reachable address for one that means all addresses. */
const reachable = (host: string) => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);

const isPressroom = (host: string, port: number) => responses(host, port, '/__ping__', 200, PING);

/** The response of a metrics port to other paths. */
const hasMetrics = (host: string, port: number) => responses(host, port, '/', 404, 'GET /metrics\n');

async function responses(host: string, port: number, path: string, status: number, text: string) {
  const name = host.includes(':') ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${name}:${port}${path}`, { signal: AbortSignal.timeout(PING_MS) });
    return response.status === status && (await readLimited(response, MAX_PING_BYTES)) === text;
  } catch {
    return false;
  }
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

/** Programs for content from Git; empty if that is off, or git runs in containers. @param find returns null for a missing program */
export async function checkGit(
  config: Config,
  find: (name: string) => string | null = findTool,
  settingsOf: (git: string) => Promise<string> = settingsOfGit,
): Promise<Finding[]> {
  if (!config['Applications.GitEnabled'] || config['Applications.Executor'] === 'docker') return [];
  const git = find('git');
  if (git === null)
    return [bad('Git', 'git is not installed', 'Install git, or set Applications.GitEnabled = false.')];
  const isConfined = config['Isolation.Mode'] !== 'off' && find('bwrap') !== null;
  if (!isConfined && !(await settingsOf(git)).includes(PINNING))
    return [
      bad(
        'Git',
        'git is older than 2.37: it reads repositories over https only with bubblewrap',
        'Install bubblewrap, or a newer git.',
      ),
    ];
  return find('ssh') === null
    ? [
        warning(
          'Git',
          'ssh is not installed: repositories are read over https only',
          'Install openssh-client.',
        ),
      ]
    : [good('Git', 'repositories are read over https and ssh')];
}

/** The names of all settings that it knows. */
async function settingsOfGit(git: string): Promise<string> {
  const { stdout } = await promisify(execFile)(git, ['help', '--config']).catch(() => ({ stdout: '' }));
  return stdout;
}
