// A mailbox behind a small SMTP server, for tests that read mails.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

export interface Mailbox extends AsyncDisposable {
  readonly url: string;
  /** Waits for the next mail; soft line breaks are undone. */
  next(): Promise<string>;
  /** Refuses the recipient of the next mail, by default with a temporary reason. */
  refuseOnce(reply?: string): void;
  /** Number of unread mails. */
  readonly waiting: number;
}

/** Accepts every mail, with the RFC 5321 commands that a client uses. */
export async function openMailbox(): Promise<Mailbox> {
  const arrived: string[] = [];
  const waiting: ((mail: string) => void)[] = [];
  let refusal: string | null = null;
  const deliver = (mail: string) => {
    const reader = waiting.shift();
    if (reader) reader(mail);
    else arrived.push(mail);
  };
  const server = createServer((socket) => {
    let mail: string[] | null = null;
    socket.on('error', () => socket.destroy());
    socket.write('220 mailbox\r\n');
    createInterface({ input: socket, crlfDelay: Infinity }).on('line', (line) => {
      if (mail === null) {
        const verb = line.slice(0, 4).toUpperCase();
        if (verb === 'RCPT' && refusal !== null) {
          socket.write(`${refusal}\r\n`);
          refusal = null;
          return;
        }
        if (verb === 'DATA') mail = [];
        socket.write(verb === 'DATA' ? '354 go on\r\n' : verb === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      } else if (line === '.') {
        deliver(mail.join('\n').replaceAll('=\n', '').replaceAll('=3D', '='));
        mail = null;
        socket.write('250 taken\r\n');
      } else mail.push(line);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => {
      const mail = arrived.shift();
      return mail === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(mail);
    },
    refuseOnce(reply = '451 try again later') {
      refusal = reply;
    },
    get waiting() {
      return arrived.length;
    },
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
