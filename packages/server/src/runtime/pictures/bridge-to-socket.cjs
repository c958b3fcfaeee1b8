// Runs without a network: forwards a browser's connections to a port to the server's socket, and nowhere else.
const { spawn } = require('node:child_process');
const net = require('node:net');

const [socket, port, program, ...args] = process.argv.slice(2);
const bridge = net.createServer((from) => {
  const to = net.connect(socket);
  from.on('error', () => to.destroy());
  to.on('error', () => from.destroy());
  from.pipe(to).pipe(from);
});
bridge.listen(Number(port), '127.0.0.1', () => {
  const browser = spawn(program, args, { stdio: 'inherit' });
  browser.on('error', () => process.exit(127));
  browser.on('exit', (code) => process.exit(code ?? 1));
});
