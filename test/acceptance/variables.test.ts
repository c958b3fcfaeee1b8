// Covers names of content variables (H8): names that were allowed before are not passed on, and can be removed.
import { startTestServer } from '@pressroom/testkit';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createContentKeys } from '../../packages/server/src/content/content-keys.ts';
import { findContent } from '../../packages/server/src/content/store.ts';
import { setVariable } from '../../packages/server/src/content/variables/store.ts';
import { createContentEnvironment } from '../../packages/server/src/runtime/content-environment.ts';

test('H8: rejects new variables that could define shell functions, and keeps older ones', async () => {
  await using server = await startTestServer({ settings: {} });
  const owner = await server.administrator();
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'variables' } })).body;
  const path = `/v1/content/${guid}/environment`;
  const patch = (body: unknown) => owner.call('PATCH', path, { body });
  for (const name of ['BASH_FUNC_umask%%', 'A\nB', 'ENV', 'PS4', 'IFS', 'LD_X', 'ShellOpts'])
    expect(await patch([{ name, value: '() { id; }' }]), name).toMatchObject({
      status: 409,
      body: { code: 108 },
    });
  const why = async (name: string) => (await patch([{ name, value: '1' }])).body.error;
  expect(await why('A\u202Eb')).toBe(
    'the variable A\\u{202e}b is prohibited: names have letters from A to Z, digits and _, and do not begin with a digit',
  );
  expect(await why('ENV')).toBe('the variable ENV is prohibited: it is kept for the system or the server');

  const { storage, secrets, clock } = server.running.services;
  const seal = (name: string) => secrets.encrypt('value', `${guid}/${name}`);
  for (const name of ['PS4', 'BASH_FUNC_umask%%', 'TOKEN'])
    await storage.write((tx) => setVariable(tx, guid, name, seal(name)));
  const logged: string[] = [];
  const environment = createContentEnvironment({
    storage,
    secrets,
    keys: createContentKeys(storage, secrets, clock),
    address: () => server.url,
    log: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  });
  const content = (await findContent(storage.db, guid))!;
  for (let times = 0; times < 2; times++) {
    const handed = await environment.of(content);
    expect(Object.keys(handed)).not.toContain('PS4');
    expect(Object.keys(handed)).not.toContain('BASH_FUNC_umask%%');
    expect(handed.TOKEN).toBe('value');
  }
  expect(logged).toHaveLength(2);
  expect(logged.join('')).not.toContain('"value"');
  expect((await patch([{ name: 'PS4', value: null }])).body).toEqual(['BASH_FUNC_umask%%', 'TOKEN']);
});
