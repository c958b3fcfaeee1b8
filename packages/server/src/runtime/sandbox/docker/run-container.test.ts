import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import { EngineGone, type Engine } from './engine.ts';
import { runContainer } from './run-container.ts';

const STATE = { Pid: 7, ExitCode: 0, OOMKilled: false };

/** An engine with one container. */
function engineWith(stream: PassThrough, more: object = {}): Docker {
  const container = {
    attach: async () => stream,
    start: async () => undefined,
    inspect: async () => ({ State: STATE }),
    wait: async () => undefined,
    remove: async () => undefined,
    ...more,
  };
  return {
    createContainer: async () => ({ id: 'one' }),
    getContainer: () => container,
  } as unknown as Docker;
}

const REQUEST = {
  name: 'pressroom-one',
  options: {},
  script: 'exit',
  onOutput: () => undefined,
  grace: 1,
  onLeft: () => undefined,
};
const GONE = 'the container engine does not respond';

test('containers of a killed engine count as lost, without further errors', async () => {
  const stream = new PassThrough();
  const docker = engineWith(stream);
  let isGone = false;
  const engine: Engine = {
    async ask(question) {
      if (isGone) throw new EngineGone(GONE);
      return question(docker);
    },
  };
  const left: string[] = [];
  const running = await runContainer({ ...REQUEST, engine, onLeft: (id) => left.push(id) });
  isGone = true;
  stream.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  expect(await running.exited).toMatchObject({ code: null, lost: GONE });
  expect(left).toEqual(['one']);
});

test('a stop does not wait for an engine that hangs: the container counts as lost, and its input is closed', async () => {
  const stream = new PassThrough();
  const hangs = async () => {
    throw new EngineGone(GONE);
  };
  const docker = engineWith(stream, { kill: hangs });
  const left: string[] = [];
  const running = await runContainer({
    ...REQUEST,
    engine: { ask: async (question) => question(docker) },
    onLeft: (id) => left.push(id),
  });
  running.stop();
  expect(await running.exited).toMatchObject({ code: null, lost: GONE });
  expect([left, stream.destroyed]).toEqual([['one'], true]);
});

test('a container that an engine does not start in time is removed later, and nobody waits for that', async () => {
  const never = new Promise<never>(() => undefined);
  const start = async () => {
    throw new EngineGone(GONE);
  };
  const docker = engineWith(new PassThrough(), { start, remove: () => never });
  const left: string[] = [];
  const run = runContainer({
    ...REQUEST,
    engine: { ask: async (question) => question(docker) },
    onLeft: (id) => left.push(id),
  });
  await expect(run).rejects.toThrow(GONE);
  expect(left).toEqual(['one']);
});

test('a container that an engine created too late is removed', async () => {
  const { promise: late, resolve: createLate } = Promise.withResolvers<void>();
  const engine: Engine = {
    async ask(_question, _milliseconds, onLate) {
      void late.then(() => onLate?.({} as never));
      throw new EngineGone(GONE);
    },
  };
  const left: string[] = [];
  const onLeft = (name: string) => left.push(name);
  await expect(runContainer({ ...REQUEST, engine, onLeft })).rejects.toThrow(GONE);
  expect(left.splice(0)).toEqual(['pressroom-one']);
  createLate();
  await late;
  expect(left).toEqual(['pressroom-one']);
});

test('the body of the attach request is harmless when Podman passes it to the shell', async () => {
  const stream = new PassThrough();
  const written: string[] = [];
  stream.on('data', (data: Buffer) => written.push(data.toString()));
  let body = '';
  const docker = engineWith(stream, {
    async attach(options: { readonly _body: unknown }) {
      body = JSON.stringify(options._body);
      return stream;
    },
  });
  const { exited } = await runContainer({
    ...REQUEST,
    engine: { ask: async (question) => question(docker) },
    script: '{\necho done\n}\n',
  });
  stream.destroy();
  await exited;
  const { stdout, stderr } = spawnSync('sh', ['-s'], { input: body + written.join(''), encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'done\n', stderr: '' });
});
