import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { probeIsolation, whyNoMounts } from './isolation.ts';
import { findTools } from './tools.ts';

test('probeIsolation repeats a killed probe once before it gives up the feature', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-isolation-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const probe = async (name: string, script: string) => {
    const setpriv = join(directory, name);
    await writeFile(setpriv, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const tools = { ...findTools(), setpriv };
    return (await probeIsolation({ mode: 'off', runAs: '', tools, separated: false })).isolation;
  };
  const once = '[ -e "$0.tried" ] || { : > "$0.tried"; kill -TERM $$; }';
  expect(await probe('killed-once', once)).toMatchObject({ diesWithServer: true });
  expect(await probe('killed', 'kill -TERM $$')).toMatchObject({ diesWithServer: false });
  expect(await probe('refuses', 'exit 1')).toMatchObject({ diesWithServer: false });
});

test('names the AppArmor setting that refuses namespaces, unless root asks', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-isolation-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const restriction = join(directory, 'apparmor_restrict_unprivileged_userns');
  const why = (asRoot: boolean) => whyNoMounts({ bwrap: '/usr/bin/bwrap' }, asRoot, restriction);
  expect(why(false)).toContain('bubblewrap may not create namespaces here');
  await writeFile(restriction, '1\n');
  expect(why(false)).toContain('kernel.apparmor_restrict_unprivileged_userns to 0');
  expect(why(true)).toContain('bubblewrap may not create namespaces here');
});
