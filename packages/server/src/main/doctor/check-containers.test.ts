// Covers whether containers start, as a running server sees it.
import { errors } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import type { Launcher } from '../../runtime/sandbox/launcher.ts';
import { checkStarts } from './check-containers.ts';

const image = (name: string) => ({ id: `sha256:${name}`, name });

test('starts a container of each image, and reports what the engine refuses', async () => {
  const launcher = {
    containers: { images: [image('python:3.11'), image('r:4.4'), image('old:1')] },
    async run({ command }: Parameters<Launcher['run']>[0]) {
      const { image: id, cwd } = command('/home/content', '');
      expect(cwd).toBe('/home/content');
      if (id === 'sha256:r:4.4') throw errors.internal({ message: 'the engine no longer has r:4.4' });
      return id === 'sha256:old:1'
        ? { code: 127, message: 'ended with code 127' }
        : { code: 0, message: 'ended with code 0' };
    },
  };
  expect(await checkStarts(launcher as unknown as Launcher)).toMatchObject([
    { state: 'good', message: 'a container of python:3.11 starts' },
    { state: 'bad', message: 'r:4.4: the engine no longer has r:4.4' },
    { state: 'bad', message: 'old:1: ended with code 127' },
  ]);
});

test('finds nothing where processes are no containers', async () => {
  const launcher = { containers: null } as unknown as Launcher;
  expect(await checkStarts(launcher)).toEqual([]);
});
