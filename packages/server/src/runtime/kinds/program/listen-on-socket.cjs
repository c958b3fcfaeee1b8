// Preloaded into Node.js applications: redirects the first port they listen on to the server's socket, so that nothing
// else on the machine can connect.
'use strict';
const { Server } = require('node:net');

const path = process.env.PRESSROOM_SOCKET;
const { listen } = Server.prototype;
let isTaken = false;

Server.prototype.listen = function (...args) {
  if (!path || isTaken || !isPort(args[0])) return listen.apply(this, args);
  isTaken = true;
  const callback = args.find((arg) => typeof arg === 'function');
  // The server's account connects; the surrounding directory keeps others out.
  return listen.call(this, { path, readableAll: true, writableAll: true }, callback);
};

function isPort(where) {
  if (where === undefined || where === null || typeof where === 'function') return true;
  if (typeof where === 'object') return 'port' in where && !where.path;
  return /^\d+$/.test(String(where));
}
