// Loaded before a Node.js application: the first port that it listens on becomes the socket that the server connects to, so
// that nothing else on the machine reaches it.
'use strict';
const { Server } = require('node:net');

const path = process.env.PRESSROOM_SOCKET;
const { listen } = Server.prototype;
let isTaken = false;

Server.prototype.listen = function (...args) {
  if (!path || isTaken || !isPort(args[0])) return listen.apply(this, args);
  isTaken = true;
  const callback = args.find((arg) => typeof arg === 'function');
  // Another account connects; the directory around it keeps everybody else out.
  return listen.call(this, { path, readableAll: true, writableAll: true }, callback);
};

function isPort(where) {
  if (where === undefined || where === null || typeof where === 'function') return true;
  if (typeof where === 'object') return 'port' in where && !where.path;
  return /^\d+$/.test(String(where));
}
