import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import { EngineGone, type Engine } from './engine.ts';
import { runContainer } from './run-container.ts';

test('containers of a killed engine count as lost, without further errors', async () => {
  const stream = new PassThrough();
  let isGone = false;
  const container = {
    attach: async () => stream,
    start: async () => undefined,
    inspect: async () => ({ State: { Pid: 7, ExitCode: 0, OOMKilled: false } }),
    wait: async () => undefined,
    remove: async () => undefined,
  };
  const docker = {
    createContainer: async () => ({ id: 'one' }),
    getContainer: () => container,
  } as unknown as Docker;
  const engine: Engine = {
    async ask(question) {
      if (isGone) throw new EngineGone('the container engine does not respond');
      return question(docker);
    },
  };
  const left: string[] = [];
  const running = await runContainer({
    engine,
    name: 'pressroom-one',
    options: {},
    script: 'exit',
    onOutput: () => undefined,
    grace: 1,
    onLeft: (id) => left.push(id),
  });
  isGone = true;
  stream.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  expect(await running.exited).toMatchObject({ code: null, lost: 'the container engine does not respond' });
  expect(left).toEqual(['one']);
});

test('the body of the attach request is harmless when Podman passes it to the shell', async () => {
  const stream = new PassThrough();
  const written: string[] = [];
  stream.on('data', (data: Buffer) => written.push(data.toString()));
  let body = '';
  const container = {
    attach: async (options: { readonly _body: unknown }) => {
      body = JSON.stringify(options._body);
      return stream;
    },
    start: async () => undefined,
    inspect: async () => ({ State: { Pid: 7, ExitCode: 0, OOMKilled: false } }),
    wait: async () => undefined,
    remove: async () => undefined,
  };
  const docker = {
    createContainer: async () => ({ id: 'one' }),
    getContainer: () => container,
  } as unknown as Docker;
  const { exited } = await runContainer({
    engine: { ask: async (question) => question(docker) },
    name: 'pressroom-one',
    options: {},
    script: '{\necho done\n}\n',
    onOutput: () => undefined,
    grace: 1,
    onLeft: () => undefined,
  });
  stream.destroy();
  await exited;
  const { stdout, stderr } = spawnSync('sh', ['-s'], { input: body + written.join(''), encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'done\n', stderr: '' });
});
