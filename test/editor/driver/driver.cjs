// Listens on the test's socket and evaluates functions with the editor's API.
const { rmSync } = require('node:fs');
const { createServer } = require('node:net');
const { runInThisContext } = require('node:vm');
const vscode = require('vscode');
const elsewhere = require('./elsewhere.cjs');

exports.activate = () => {
  elsewhere.register();
  const path = process.env.PRESSROOM_TEST_SOCKET;
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    socket.on('error', () => undefined);
    socket.on('end', async () => {
      try {
        const { code, args } = JSON.parse(text);
        // Test code of this repository, over a socket in a directory that only this user can enter.
        const result = await runInThisContext(`(${code})`)(vscode, ...args);
        socket.end(JSON.stringify({ result }));
      } catch (error) {
        socket.end(JSON.stringify({ error: String(error?.stack ?? error) }));
      }
    });
  });
  server.listen(path);
};
