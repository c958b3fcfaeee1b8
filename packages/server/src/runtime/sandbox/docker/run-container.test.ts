import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import { EngineGone, type Engine } from './engine.ts';
import { runContainer } from './run-container.ts';

test('an engine that is killed breaks the stream of its containers: they count as lost, and nothing else fails', async () => {
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
      if (isGone) throw new EngineGone('the container engine does not answer');
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
  expect(await running.exited).toMatchObject({ code: null, lost: 'the container engine does not answer' });
  expect(left).toEqual(['one']);
});
