// Covers the end of a process that something still connects with others.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';

test('a connection to a server that does not respond keeps no stopped process', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const program = `
    import { connect } from 'node:net';
    import { exitSoon } from ${JSON.stringify(new URL('until-stopped.ts', import.meta.url))};
    connect(${port}, '127.0.0.1', exitSoon);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  silent.close();
});
