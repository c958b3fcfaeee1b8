// One visitor's session of a Shiny application, proxied message by message, so that a short disconnection loses none.
// Between the page's script and this server, text frames start with a letter:
//   o<id>,<n> the session's id; the page may resume it within n milliseconds
//   m<text>   a message of the application (binary frames are messages themselves)
//   a<count>  number of received messages
//   r<count>  after resuming: number of the page's messages received, it resends the others
// A page without the script gets the application's messages directly, and cannot resume.
import type { WebSocket } from 'ws';

export interface ShinySession {
  readonly id: string;
  readonly resumable: boolean;
  /** Bytes of messages from and to the visitor. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Bytes of complete messages that one side has not taken yet, or not confirmed. */
  readonly bytesHeld: number;
  /** Resumes for a page that has received a number of messages. */
  resume(client: WebSocket, received: number): void;
  /** Ends the session permanently, with a close code for the page. */
  end(code: number, reason: string): void;
  /** Ends it at once, with all that waits to be sent. */
  cut(): void;
}

export interface ShinySessionOptions {
  readonly id: string;
  readonly client: WebSocket;
  /** The open socket to the application. */
  readonly backend: WebSocket;
  readonly resumable: boolean;
  /** Milliseconds that the application's side stays open for a disconnected page. */
  readonly grace: number;
  /** The application's first text message, which has Shiny's own session token. */
  readonly onFirstMessage: (text: Buffer) => void;
  /** Called once. @param lost when the visitor was last connected, in milliseconds since the epoch. */
  readonly onEnd: (lost: number) => void;
}

interface Message {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** Codes from 4000 on tell the page not to resume. */
export const CLOSE = {
  applicationEnded: 4000,
  notAllowed: 4001,
  timedOut: 4002,
  unknownSession: 4003,
  tooMuch: 4004,
} as const;

/** Bytes queued for one side beyond which the other is paused. */
const BUFFERED = 2 ** 20;
/** Bytes kept for a page that may resume. */
const UNCONFIRMED = 8 * 2 ** 20;
/** Bytes of memory that a message takes besides its data: a flood of empty ones must not count as nothing. */
const OVERHEAD = 512;
const ACK_EVERY = 16;

export function createShinySession(options: ShinySessionOptions): ShinySession {
  const { id, backend, resumable, grace } = options;
  let client: WebSocket | null = null;
  let lostAt = 0;
  let goodbye: NodeJS.Timeout | undefined;
  let hasEnded = false;
  let sent = 0;
  let received = 0;
  let acknowledged = 0;
  let isAcknowledging = false;
  let unconfirmed: Message[] = [];
  let unconfirmedBytes = 0;
  let queuedForClient = 0;
  let queuedForBackend = 0;
  const bytes = { in: 0, out: 0 };
  let first = true;

  function attach(socket: WebSocket): void {
    client = socket;
    queuedForClient = 0;
    acknowledged = received;
    isAcknowledging = false;
    clearTimeout(goodbye);
    socket.on(
      'message',
      (data, isBinary) => socket === client && fromClient({ data: data as Buffer, isBinary }),
    );
    socket.on('error', () => socket.terminate());
    socket.on('close', () => socket === client && lost());
    backend.resume();
  }

  function lost(): void {
    client = null;
    lostAt = Date.now();
    if (resumable) goodbye = setTimeout(() => end(CLOSE.timedOut, 'The visitor did not come back'), grace);
    else end(CLOSE.timedOut, 'The visitor went away');
  }

  function end(code: number, reason: string): void {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(goodbye);
    client?.close(code, reason);
    backend.close();
    // An unresponsive process must not hold the slot.
    setTimeout(() => backend.terminate(), 2000).unref();
    options.onEnd(client ? Date.now() : lostAt);
    client = null;
  }

  function toClient(message: Message): void {
    if (first && !message.isBinary) {
      first = false;
      options.onFirstMessage(message.data);
    }
    sent += 1;
    if (resumable) {
      unconfirmed.push(message);
      unconfirmedBytes += sizeOf(message);
    }
    transmit(message);
    throttleBackend();
  }

  function transmit(message: Message): void {
    const socket = client;
    if (!socket) return;
    const { data, isBinary } = message;
    bytes.out += data.length;
    queuedForClient += sizeOf(message);
    const whole = resumable && !isBinary ? Buffer.concat([LETTER_M, data]) : data;
    socket.send(whole, { binary: isBinary }, () => {
      if (socket !== client) return;
      queuedForClient -= sizeOf(message);
      throttleBackend();
    });
  }

  function throttleBackend(): void {
    const full = (client !== null && queuedForClient > BUFFERED) || unconfirmedBytes > UNCONFIRMED;
    if (full) backend.pause();
    else backend.resume();
  }

  function confirm(count: number): void {
    const confirmed = unconfirmed.length - (sent - count);
    if (!(confirmed > 0)) return;
    for (const message of unconfirmed.slice(0, confirmed)) unconfirmedBytes -= sizeOf(message);
    unconfirmed = unconfirmed.slice(confirmed);
    throttleBackend();
  }

  /** One at a time: a visitor may read none of them. */
  function acknowledge(): void {
    const socket = client;
    if (!socket || !resumable || isAcknowledging || received - acknowledged < ACK_EVERY) return;
    isAcknowledging = true;
    acknowledged = received;
    socket.send(`a${received}`, () => {
      if (socket !== client) return;
      isAcknowledging = false;
      acknowledge();
    });
  }

  function fromClient(message: Message): void {
    const { data, isBinary } = message;
    const letter = resumable && !isBinary ? data[0] : undefined;
    if (letter === LETTER_A[0]) {
      confirm(Number(data.subarray(1).toString()));
      return;
    }
    bytes.in += data.length;
    received += 1;
    acknowledge();
    queuedForBackend += sizeOf(message);
    backend.send(letter === undefined ? data : data.subarray(1), { binary: isBinary }, () => {
      queuedForBackend -= sizeOf(message);
      if (queuedForBackend <= BUFFERED) client?.resume();
    });
    if (queuedForBackend > BUFFERED) client?.pause();
  }

  backend.on('message', (data, isBinary) => toClient({ data: data as Buffer, isBinary }));
  backend.on('close', () => end(CLOSE.applicationEnded, 'The application ended the session'));
  backend.on('error', () => end(CLOSE.applicationEnded, 'The application ended'));
  attach(options.client);
  if (resumable) options.client.send(`o${id},${grace}`);

  return {
    id,
    resumable,
    get bytesIn() {
      return bytes.in;
    },
    get bytesOut() {
      return bytes.out;
    },
    get bytesHeld() {
      return queuedForBackend + queuedForClient + unconfirmedBytes;
    },
    resume(socket, has) {
      const old = client;
      client = null;
      old?.terminate();
      attach(socket);
      socket.send(`r${received}`);
      confirm(has);
      for (const message of unconfirmed) transmit(message);
    },
    end,
    cut() {
      const socket = client;
      end(CLOSE.tooMuch, 'The session takes too much memory');
      socket?.terminate();
      backend.terminate();
    },
  };
}

function sizeOf({ data }: Message): number {
  return data.length + OVERHEAD;
}

const LETTER_M = Buffer.from('m');
const LETTER_A = Buffer.from('a');
