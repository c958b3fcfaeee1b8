// Starts processes of content in containers: one each, from the configured images.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../../platform/errors.ts';
import { accountsWith, isNumbered, type Account } from '../accounts.ts';
import type { Command } from '../command.ts';
import { createUseAtStart, watchDisk } from '../disk-use.ts';
import { HELPERS } from '../helpers.ts';
import { defaultAccount, hasOwnAccounts } from '../isolation.ts';
import { removeTree } from '../remove-tree.ts';
import { giveFiles, openRunDirectory, refuseOtherSupervisor } from '../run-directory.ts';
import type { Output, Started, Starter, StarterOptions, StartRequest } from '../starter.ts';
import { findTools } from '../tools.ts';
import { containerOptions, containerScript, INSIDE } from './container-options.ts';
import { reportContainers } from './container-report.ts';
import { EngineRefusal, openEngine, type Engine, type EngineEvent, type EngineSettings } from './engine.ts';
import { PROBE_ARGUMENTS, readResponse } from './inspect-image.ts';
import { createOrphanedContainers, LOOK } from './orphaned-containers.ts';
import { ownAddressIn, type Subnet } from './own-address.ts';
import { runContainer } from './run-container.ts';
import type { RuntimeImage } from './runtime-image.ts';

export interface DockerSettings extends EngineSettings {
  readonly images: readonly string[];
  /** Engine network for content that may use the network. */
  readonly network: string;
  /** Processors, also fractions; 0 for no limit. */
  readonly cpus: number;
}

export interface DockerStarterOptions extends StarterOptions {
  readonly docker: DockerSettings;
  /** Called when the engine stops responding, is back, or refuses to start a container. */
  readonly onEngine?: ((event: EngineEvent) => void) | undefined;
}

/** Maximum output of an image probe: the descriptions of all its packages. */
const MAX_RESPONSE = 64 * 2 ** 20;
const LOOPBACK = '127.0.0.1';

/** @throws an Error that names the setting, with the engine's response. */
export async function createDockerStarter(options: DockerStarterOptions): Promise<Starter> {
  const { docker, server, memory, processes, disk, grace = 5000, onEngine = () => undefined } = options;
  const tools = findTools();
  const account = defaultAccount(options.runAs, process.getuid?.() === 0);
  const ownAccounts = await hasOwnAccounts({ ...options, tools });
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await openEngine(docker, onEngine));
  const hostAddress = await addressIn(engine, docker.network);
  const label = hash('sha256', options.dataDir, 'hex').slice(0, 16);
  const orphans = createOrphanedContainers(engine, label);
  if (options.isAlone) {
    await refuseOtherSupervisor(options.dataDir);
    await orphans.removeOld(null);
  }
  stack.use(orphans);
  const directory = stack.use(await openRunDirectory(options));
  // Those of servers that are gone were removed.
  const runs = (start: string) => start !== '' && existsSync(join(dirname(directory.path), start));
  if (!options.isAlone) await orphans.removeOld(runs);
  const limited = { limit: disk, du: tools.du };
  const useAtStart = createUseAtStart(limited);
  const running = new Set<Started>();
  /** Volumes declared by images, by image id. */
  const volumes = new Map<string, readonly string[]>();
  /** Their `/etc/passwd`, by image id. */
  const accounts = new Map<string, string>();

  /** Of scripts of ours, by their path: the engine does not see those of a server that runs in a container itself. */
  const scripts = new Map<string, Promise<string>>();

  function copyOf(script: string): Promise<string> {
    const copy = join(directory.path, basename(script));
    const copying = scripts.get(script) ?? cp(script, copy).then(() => copy);
    scripts.set(script, copying);
    copying.catch(() => scripts.delete(script));
    return copying;
  }

  async function withCopies(command: Command): Promise<{ command: Command; copies: Map<string, string> }> {
    const copies = new Map<string, string>();
    for (const path of command.readable ?? [])
      if (path.startsWith(`${HELPERS}/`)) copies.set(path, await copyOf(path));
    // Nobody but this process could have replaced a copy.
    const identities = Object.entries(command.identities ?? {}).filter(([path]) => !copies.has(path));
    return { command: { ...command, identities: Object.fromEntries(identities) }, copies };
  }

  async function run(
    image: string,
    { id, account: who, command: requested }: StartRequest,
    onOutput: Output,
  ): Promise<Started> {
    const { command, copies } = await withCopies(requested);
    const own = await directory.makePrivate(id, who);
    const { uid, gid } = who ?? ownAccount();
    // Beside the private directory: content could replace what is in it.
    const passwd = isNumbered(who) ? `${own}p` : null;
    if (passwd !== null) {
      await writeFile(passwd, accountsWith({ uid, gid }, INSIDE, accounts.get(image)));
      await chmod(passwd, 0o644);
    }
    const clean = async () => {
      await removeTree(own).catch(() => undefined);
      if (passwd !== null) await rm(passwd, { force: true });
    };
    const use = await useAtStart(command.writable ?? []);
    const container = await runContainer({
      engine,
      name: `pressroom-${id}`,
      options: containerOptions(command, image, {
        memory,
        processes,
        fileSize: disk,
        // The engine refuses more than there are.
        cpus: docker.cpus < (engine.info.NCPU ?? Infinity) ? docker.cpus : 0,
        account: { uid, gid },
        directory: own,
        passwd,
        copies,
        network: (command.network ?? options.network) ? docker.network : 'none',
        labels: orphans.labels(options.id),
        volumes: volumes.get(image) ?? [],
      }),
      script: containerScript(command, who),
      onOutput,
      grace,
      onLeft: orphans.add,
    }).catch(async (error: unknown) => {
      await clean();
      throw error;
    });
    const watched = watchDisk({
      pid: container.pid,
      paths: [own, ...(command.writable ?? [])],
      use,
      ...limited,
      onOver: container.kill,
    });
    const started: Started = {
      ...container,
      exited: container.exited.then(async (exit) => {
        watched.stop();
        await clean();
        running.delete(started);
        return { ...exit, overDisk: watched.isOver() };
      }),
    };
    running.add(started);
    return started;
  }

  /** Probes an image: its contents, and the rights of processes in it. */
  async function lookAt(name: string, number: number) {
    try {
      const { Id: image, Config } = await engine.ask((client) => client.getImage(name).inspect());
      volumes.set(image, Object.keys(Config?.Volumes ?? {}));
      let response = '';
      let complaint = '';
      const command = { file: 'sh', args: PROBE_ARGUMENTS, cwd: INSIDE, network: false };
      const { exited } = await run(
        image,
        { id: `${options.id}${LOOK}${number}`, account, command },
        (chunk, from) => {
          if (from === 'stderr') complaint = `${complaint}${String(chunk)}`.slice(-500);
          else if (response.length < MAX_RESPONSE) response += chunk.toString('latin1');
        },
      );
      const { code, lost } = await exited;
      if (lost !== undefined) throw new Error(lost);
      if (code === NOT_WRITABLE)
        throw new Error(
          'its processes cannot write files of this server: an engine that maps accounts (rootless, or userns-remap) cannot be used',
        );
      if (code !== 0) throw new Error(complaint.trim() || `looking at it ended with code ${code}`);
      const seen = readResponse(name, image, Buffer.from(response, 'latin1').toString('utf8'));
      accounts.set(image, seen.accounts);
      return seen;
    } catch (cause) {
      const isBlind = /bind source path does not exist/.test(messageOf(cause));
      throw new Error(
        isBlind
          ? `Docker.Host: the engine does not see ${directory.path}: it is on another machine, or this server has a /tmp of its own (PrivateTmp; set TMPDIR)`
          : `Docker.Images: ${name} cannot be used: ${messageOf(cause)}`,
        { cause },
      );
    }
  }

  const looks = await Promise.all(docker.images.map(lookAt));
  const kept = looks.map((look) => look.kept);
  const isolation = reportContainers(options, { account, ownAccounts, info: engine.info, kept });
  const images = looks.map(({ image }) => image);
  const open = stack.move();
  return {
    isolation,
    containers: {
      images,
      hostAddress,
      sharesNetwork: docker.network === 'host',
      responds: async () => engine.responds,
    },
    directory: directory.path,
    inside: INSIDE,
    // A container is one process with its children.
    forks: false,
    fork: () => Promise.reject(new Error('containers are not forked')),
    async start(request, onOutput) {
      const image = images.find(({ id }) => id === request.command.image);
      if (!image)
        throw new Error('the image that this was made for is no longer among those of Docker.Images');
      return run(image.id, request, onOutput).catch((error: unknown) => {
        if (!(error instanceof EngineRefusal)) throw error;
        const message = messageOfRefusal(error, image);
        onEngine({ level: 'error', message: `A container could not be started: ${message}` });
        throw new Error(message, { cause: error });
      });
    },
    give: (path, owner) => giveFiles(path, owner, { server, isClosed: ownAccounts }),
    async removeLeftovers() {
      await orphans.removeRunning();
      await directory.removeLeftovers();
    },
    async [Symbol.asyncDispose]() {
      for (const one of running) one.stop();
      await Promise.all([...running].map((one) => one.exited));
      await open[Symbol.asyncDispose]();
    },
  };
}

/** Exit code of the probe script. */
const NOT_WRITABLE = 90;

function ownAccount(): Pick<Account, 'uid' | 'gid'> {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

function messageOfRefusal({ status, message }: EngineRefusal, image: RuntimeImage): string {
  if (status !== 404 || !message.includes(image.id)) return message;
  return `the engine no longer has ${image.name} as it was when this server started (${message}): load that image again, or restart the server`;
}

/** This server's address for containers of a network. @throws if there is no such network. */
async function addressIn(engine: Engine, network: string): Promise<string> {
  if (network === 'host') return LOOPBACK;
  try {
    const { IPAM } = await engine.ask((client) => client.getNetwork(network).inspect() as Promise<Network>);
    const own = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
    return ownAddressIn(IPAM?.Config ?? [], own) ?? LOOPBACK;
  } catch (cause) {
    throw new Error(`Docker.Network: ${messageOf(cause)}`, { cause });
  }
}

interface Network {
  readonly IPAM?: { readonly Config?: readonly Subnet[] | null };
}
