// Deliveries of Slack to an app: over HTTP, signed, or through the app's socket; with the time until acknowledged.
import { createHmac, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Loose } from './workspace.ts';

export interface Delivery {
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: Loose;
}

export interface Ack {
  readonly status: number;
  /** The app's response: a message, or an action on a view. */
  readonly body: unknown;
  readonly milliseconds: number;
}

export interface Deliverer {
  send(delivery: Delivery): Promise<Ack>;
  /** Where an app listens for HTTP. */
  requestUrl: string | null;
  /** The address for an app's socket. */
  socketUrl(base: string): string;
  /** Makes apps reconnect, as Slack does every few hours. */
  refreshSockets(): void;
  readonly sockets: number;
  close(): void;
}

const ACK_WITHIN = 3000;

export function createDeliverer(server: Server, signingSecret: string, onConnect: () => void): Deliverer {
  const accepting = new WebSocketServer({ noServer: true });
  const sockets = new Set<WebSocket>();
  const waiting = new Map<string, (body: unknown) => void>();

  server.on('upgrade', (request, socket, head) => {
    if (!request.url?.startsWith('/link/')) return socket.destroy();
    accepting.handleUpgrade(request, socket, head, (ws) => {
      sockets.add(ws);
      ws.on('close', () => sockets.delete(ws));
      ws.on('message', (data) => {
        const { envelope_id, payload } = JSON.parse(String(data)) as {
          envelope_id?: string;
          payload?: unknown;
        };
        if (envelope_id !== undefined) waiting.get(envelope_id)?.(payload);
      });
      ws.send(JSON.stringify({ type: 'hello', num_connections: sockets.size }));
      onConnect();
    });
  });

  async function overSocket(ws: WebSocket, { type, payload }: Delivery): Promise<Ack> {
    const envelope_id = randomUUID();
    const began = performance.now();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(envelope_id, resolve);
    const timeout = setTimeout(() => resolve(undefined), ACK_WITHIN);
    ws.send(JSON.stringify({ envelope_id, type, payload, accepts_response_payload: true }));
    const body = await promise;
    clearTimeout(timeout);
    waiting.delete(envelope_id);
    const milliseconds = performance.now() - began;
    return { status: milliseconds < ACK_WITHIN ? 200 : 504, body, milliseconds };
  }

  async function overHttp(url: string, { type, payload }: Delivery): Promise<Ack> {
    const body =
      type === 'events_api'
        ? JSON.stringify(payload)
        : new URLSearchParams(
            type === 'interactive'
              ? { payload: JSON.stringify(payload) }
              : (payload as Record<string, string>),
          ).toString();
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
    const began = performance.now();
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        signal: AbortSignal.timeout(ACK_WITHIN),
        headers: {
          'content-type': type === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded',
          'x-slack-request-timestamp': String(time),
          'x-slack-signature': `v0=${signature}`,
        },
      });
      const text = await response.text();
      const milliseconds = performance.now() - began;
      return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text, milliseconds };
    } catch {
      return { status: 504, body: undefined, milliseconds: performance.now() - began };
    }
  }

  const deliverer: Deliverer = {
    requestUrl: null,
    get sockets() {
      return sockets.size;
    },
    send(delivery) {
      const [socket] = sockets;
      if (socket) return overSocket(socket, delivery);
      if (deliverer.requestUrl === null) throw new Error('no app is connected');
      return overHttp(deliverer.requestUrl, delivery);
    },
    socketUrl: (base) => `${base.replace(/^http/, 'ws')}/link/${randomUUID()}`,
    refreshSockets() {
      for (const socket of sockets) {
        socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
        socket.close();
      }
    },
    close() {
      for (const socket of sockets) socket.terminate();
      accepting.close();
    },
  };
  return deliverer;
}
