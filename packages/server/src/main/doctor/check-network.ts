// Network services in the settings: the mail server, the public addresses with certificates.
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { labelOf, readContentAddress } from '../../content/address.ts';
import { errnoOf, messageOf } from '../../platform/errors.ts';
import { createMailTransport } from '../../platform/mailer.ts';
import { readLimited } from '../../platform/read-limited.ts';
import type { Config } from '../config/settings.ts';
import { bad, good, warning, type Finding } from './finding.ts';

const TRUST =
  'Name the server as its certificate does, and its authority in the environment: NODE_EXTRA_CA_CERTS=/etc/ssl/ca.pem.';
const RENEW = 'Renew the certificate; check that its renewal runs by itself.';
const WAIT_MS = 10_000;
const DAY_MS = 86_400_000;
const SOON_DAYS = 21;
/** The response of a Pressroom server at `/__ping__`. */
export const PING = '{}';
export const MAX_PING_BYTES = 100;

/** Connects and signs in without sending a mail. */
export async function checkMail(config: Config): Promise<Finding[]> {
  const url = config['Mail.URL'];
  if (url === '') return [];
  const { host } = new URL(url);
  const options = { connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: WAIT_MS };
  const transport = createMailTransport(url, options);
  try {
    await transport.verify();
    return [good('Mail', `${host} answers, and takes the account of Mail.URL; no mail was sent`)];
  } catch (error) {
    return [
      bad(
        'Mail',
        `${host}: ${messageOf(error)}`,
        remedyFor(
          error,
          /certificate/i.test(messageOf(error))
            ? TRUST
            : 'Check host, port and password in Mail.URL, and firewalls.',
        ),
      ),
    ];
  } finally {
    transport.close();
  }
}

/** Asks receivers for headers: whatever they return, they are there. Nothing is sent to them. */
export async function checkReceivers(config: Config): Promise<Finding[]> {
  const ofSetting = (name: 'Events.Webhooks' | 'Audit.Webhook') =>
    config[name].split(/\s+/).flatMap((address) => (address === '' ? [] : [{ name, address }]));
  const receivers = [...ofSetting('Events.Webhooks'), ...ofSetting('Audit.Webhook')];
  return Promise.all(
    receivers.map(async ({ name, address }) => {
      const { host } = new URL(address);
      try {
        const signal = AbortSignal.timeout(WAIT_MS);
        await fetch(address, { method: 'HEAD', redirect: 'manual', signal });
        return good('Receiver', `${host} of ${name} answers; nothing was sent`);
      } catch (error) {
        // What `fetch` throws says only that it failed.
        const cause = error instanceof Error ? (error.cause ?? error) : error;
        const reason = errnoOf(cause) ?? messageOf(cause);
        const remedy = /certificate/i.test(reason) ? TRUST : `Correct ${name}, or start it.`;
        return warning('Receiver', `${host} of ${name}: ${reason}`, remedy);
      }
    }),
  );
}

export async function checkAddresses(config: Config): Promise<Finding[]> {
  const address = config['Server.Address'];
  const findings =
    address === ''
      ? []
      : [await checkReached(address), ...(await checkCertificate('Certificate', new URL(address)))];
  try {
    const content = readContentAddress(config);
    if (content.kind === 'none') return findings;
    const url = new URL(
      content.kind === 'fixed'
        ? content.origin
        : `${content.scheme}://${labelOf(NO_CONTENT)}${content.suffix}`,
    );
    const found = await checkName(url, content.kind === 'each');
    return [
      ...findings,
      found,
      ...(found.state === 'good' ? await checkCertificate('Content certificate', url) : []),
    ];
  } catch (error) {
    return [...findings, bad('Content address', messageOf(error), 'Correct Server.ContentAddress.')];
  }
}

/** The GUID of no content item. */
const NO_CONTENT = '00000000-0000-4000-8000-000000000000';

async function checkReached(address: string): Promise<Finding> {
  const what = 'Address';
  try {
    const signal = AbortSignal.timeout(WAIT_MS);
    const response = await fetch(`${address}/__ping__`, { redirect: 'manual', signal });
    if (response.status === 200) {
      if ((await readLimited(response, MAX_PING_BYTES)) === PING)
        return good(what, `${address} is answered by the server`);
      return bad(
        what,
        `${address} is answered by another program`,
        'Check that the name leads to this server, and that the proxy passes all paths to it: docs/operate/proxy.md.',
      );
    }
    await response.body?.cancel();
    if (response.status === 502 || response.status === 503 || response.status === 504)
      return warning(
        what,
        `the proxy at ${address} does not reach the server (${response.status})`,
        'Start the server, or check the port that the proxy passes to.',
      );
    return bad(
      what,
      `${address}/__ping__ answers ${response.status}`,
      'Check that the proxy passes all paths to the server: docs/operate/proxy.md.',
    );
  } catch (error) {
    return bad(
      what,
      `${address}: ${causeOf(error)}`,
      remedyFor(
        error,
        'Check the name in the DNS, the proxy and firewalls. From inside some networks the public address cannot be reached: try from outside then.',
      ),
    );
  }
}

async function checkName(url: URL, isWild: boolean): Promise<Finding> {
  try {
    // Browsers resolve such names themselves.
    if (!isOfThisMachine(url)) await lookup(url.hostname);
    return good('Content address', url.origin);
  } catch (error) {
    const record = isWild
      ? `a wildcard record: *${url.hostname.slice(url.hostname.indexOf('.'))}`
      : 'a record';
    return bad('Content address', `${url.hostname}: ${causeOf(error)}`, `Add ${record} to the DNS.`);
  }
}

async function checkCertificate(what: string, url: URL): Promise<Finding[]> {
  if (url.protocol !== 'https:') return [];
  const port = Number(url.port) || 443;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const host = isOfThisMachine(url) ? 'localhost' : name;
  const socket = connect({ host, port, ...(isIP(name) === 0 && { servername: name }) });
  socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('no response')));
  try {
    await once(socket, 'secureConnect');
    const until = new Date(socket.getPeerCertificate().valid_to);
    const days = Math.floor((until.getTime() - Date.now()) / DAY_MS);
    const message = `for ${url.hostname}, valid for ${days} days`;
    return [days < SOON_DAYS ? warning(what, message, RENEW) : good(what, message)];
  } catch (error) {
    return [
      bad(
        what,
        `${url.host}: ${causeOf(error)}`,
        remedyFor(error, 'Use a certificate for this name, with its whole chain, that browsers trust.'),
      ),
    ];
  } finally {
    socket.destroy();
  }
}

const isOfThisMachine = ({ hostname }: URL) => hostname.endsWith('.localhost');

const remedyFor = (error: unknown, other: string) =>
  /certificate has expired/.test(causeOf(error)) ? RENEW : other;

/** `fetch failed` is not helpful; its cause is. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause ?? error);
}
