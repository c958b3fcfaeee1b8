// Preloaded by code-server: sockets to the browser are not compressed, which costs more than it saves on one machine.
const { Server } = require('node:http');

const { emit } = Server.prototype;
Server.prototype.emit = function (event, request, ...rest) {
  if (event === 'upgrade') delete request.headers['sec-websocket-extensions'];
  return emit.call(this, event, request, ...rest);
};
