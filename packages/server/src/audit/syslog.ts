// Sends audit entries to a syslog receiver: RFC 5424 messages over UDP (RFC 5426), TCP (RFC 6587) or TLS (RFC 5425).
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { SentEntry } from './entry.ts';

/** Facility "log audit" (13), severity "notice" (5). */
const PRIORITY = 13 * 8 + 5;
const TIMEOUT_MS = 10_000;
/** Added to the connection time: within it, a proxy without a receiver closes the connection. */
const EARLY_MS = 20;
/** UDP receivers need not accept more (RFC 5426, 3.2). */
const MAX_DATAGRAM = 2048;
/** For examples and private use (RFC 5612). */
const ENTERPRISE = 32473;

/** @param address `udp://host:514`, `tcp://host:601` or `tls://host:6514` */
export function createSyslogSender(address: string): (entries: readonly SentEntry[]) => Promise<void> {
  const { protocol, hostname: host, port } = new URL(address);
  const name = host.replace(/^\[|\]$/g, '');
  return protocol === 'udp:'
    ? (entries) => sendDatagrams(name, Number(port || 514), entries)
    : (entries) => sendStream(name, Number(port || (protocol === 'tls:' ? 6514 : 601)), protocol, entries);
}

async function sendDatagrams(host: string, port: number, entries: readonly SentEntry[]): Promise<void> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  // If the system has no free port, the callback of `send` is never called, and an error without a listener ends the
  // process.
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  socket.on('error', failed.reject);
  try {
    for (const entry of entries) {
      const bytes = Buffer.from(wholeCharacters(syslogMessage(entry), MAX_DATAGRAM));
      const sent = new Promise<void>((resolve, reject) => {
        socket.send(bytes, port, host, (error) => (error ? reject(error) : resolve()));
      });
      await Promise.race([sent, failed.promise]);
    }
  } finally {
    socket.close();
  }
}

/**
 * Sends all over one connection; the receiver has accepted them once it closes the connection cleanly after this side. A
 * proxy whose receiver is gone accepts the connection, and closes it at once.
 */
async function sendStream(
  host: string,
  port: number,
  protocol: string,
  entries: readonly SentEntry[],
): Promise<void> {
  const secure = protocol === 'tls:';
  const socket: Socket = secure ? connectTls({ host, port }) : connect({ host, port });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`${host}:${port} does not respond`)));
  socket.resume();
  const closed = once(socket, 'close');
  closed.catch(() => undefined);
  const began = performance.now();
  try {
    await once(socket, secure ? 'secureConnect' : 'connect');
    const messages = entries.map((entry) => Buffer.from(syslogMessage(entry)));
    socket.write(Buffer.concat(messages.flatMap((bytes) => [Buffer.from(`${bytes.length} `), bytes])));
    // A round trip, and pending events.
    await Promise.race([closed, delay(performance.now() - began + EARLY_MS)]);
    await setImmediate();
    if (socket.readableEnded) throw new Error(`${host}:${port} closed the connection before it had all`);
    socket.end();
    await closed;
  } finally {
    socket.destroy();
  }
}

/**
 * One message. Text that users chose is in the structured data, escaped, and in the message without control characters.
 */
export function syslogMessage(entry: SentEntry): string {
  const { time, action, user_id, user_description, event_description, id, seq, mac } = entry;
  const { content_guid: content, bundle_id: bundle, task_id: task, slack_user } = entry;
  const fields = { id, user_id, user: user_description, content, bundle, task, slack_user, seq, mac };
  const data = Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}="${escapeValue(String(value))}"`);
  const host =
    hostname()
      .replace(/[^\x21-\x7e]/g, '')
      .slice(0, 255) || '-';
  const head = `<${PRIORITY}>1 ${time} ${host} pressroom ${process.pid} ${action.slice(0, 32)}`;
  return `${head} [audit@${ENTERPRISE} ${data.join(' ')}] \uFEFF${printable(event_description)}`;
}

function escapeValue(value: string): string {
  return printable(value).replaceAll(/["\\\]]/g, '\\$&');
}

function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

/** Truncates text to a number of bytes, between characters. */
function wholeCharacters(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
