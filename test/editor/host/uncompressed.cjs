// Preloaded by code-server: it sends nothing compressed, which costs more than it saves on one machine.
const { Server } = require('node:http');

const { emit } = Server.prototype;
Server.prototype.emit = function (event, ...rest) {
  const [{ headers } = {}] = event === 'request' || event === 'upgrade' ? rest : [];
  for (const name of ['accept-encoding', 'sec-websocket-extensions']) delete headers?.[name];
  return emit.call(this, event, ...rest);
};
