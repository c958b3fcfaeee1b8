// Answers visits that other servers forward to a process of this one. The visitor's rights are checked again here, and
// while the connection is open: only the transport is trusted.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { failureOf } from '../platform/database/unreachable.ts';
import type { ContentRoute } from './content-route.ts';
import { outcomeOf, readForwarded, refuseSocket, sendOutcome, VISIT_HEADER } from './forwarded-visit.ts';

export interface TakenVisits {
  visit(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

export function takeVisits(route: Pick<ContentRoute, 'take' | 'takeSocket'>, log: Logger): TakenVisits {
  const outcome = (error: unknown) => {
    const result = outcomeOf(error);
    if (result.kind === 'refused' && result.body.code === 1) failureOf('visit of another server', log)(error);
    return result;
  };
  return {
    async visit(request, response) {
      try {
        const forwarded = readForwarded(request);
        delete request.headers[VISIT_HEADER];
        await route.take(request, response, forwarded);
      } catch (error) {
        sendOutcome(response, outcome(error));
      }
    },
    async upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      try {
        const forwarded = readForwarded(request);
        delete request.headers[VISIT_HEADER];
        await route.takeSocket(request, socket, head, forwarded);
      } catch (error) {
        refuseSocket(socket, outcome(error));
      }
    },
  };
}
