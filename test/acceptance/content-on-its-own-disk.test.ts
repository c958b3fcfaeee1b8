// The directory of deployed content may be on a disk of its own, as where a volume is mounted for it.
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { publish, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';

test('an earlier bundle opens where content is on another disk than the working directory', async () => {
  // Not the disk of the temporary directory, on Linux.
  const disk = await mkdtemp('/dev/shm/pressroom-content-');
  try {
    await using server = await startTestServer();
    const owner = await server.person('publisher');
    const { guid, path } = await publish(owner, { 'index.html': 'first' });
    const bundles = async () => (await owner.call('GET', `/v1/content/${guid}/bundles`)).body;
    const [{ id }] = await bundles();
    await publish(owner, { 'index.html': 'second' }, { guid });
    const content = join(server.dataDir, 'content');
    await cp(content, disk, { recursive: true });
    await rm(content, { recursive: true });
    await symlink(disk, content);
    const earlier = () => owner.call('GET', `${path}_rev${id}/`);
    expect(String((await earlier()).bytes)).toBe('first');
    await server.restart();
    expect(String((await earlier()).bytes)).toBe('first');
  } finally {
    await rm(disk, { recursive: true });
  }
});
