// The response to a request of the client of Node.js, whatever its server sends.
import type { ClientRequest, IncomingMessage } from 'node:http';

/** @throws if there is none, also if it changes the protocol */
export function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Kept after the response, whose body reports the same error: without a listener it would end the server.
  request.on('response', resolve).on('error', reject);
  // All there is after a response that changes the protocol.
  request.on('close', () => reject(new Error('it closed the connection')));
  return promise;
}
