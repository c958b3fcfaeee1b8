// What a person does next after a failure: one sentence per code, status and kind.
import type { BadAnswerKind, NoAnswerKind } from './failure-kinds.ts';

const SIGN_IN = 'Sign in again with a valid API key; keys are made in the dashboard of the server.';
const ASK_ADMINISTRATOR = 'Ask an administrator of the server.';
const ASK_OWNER = 'Ask the owner of the content to make you a collaborator, or publish it as new content.';

const BY_CODE: Readonly<Record<number, string>> = {
  1: 'Try again; if it stays, give the administrator the time of this failure, the server has logged it.',
  2: 'The server does not offer this operation: check the address, or ask for a newer server.',
  3: 'Check the identifier for typing errors.',
  4: 'It was deleted, or never was on this server: check the address, or publish it as new content.',
  5: 'Choose a name of 3 to 64 letters, digits, dashes and underscores.',
  6: 'Choose a longer password.',
  7: 'Choose another username.',
  8: 'Choose another username, or look for the existing account.',
  10: ASK_OWNER,
  11: 'Check the filter; several GUIDs are joined with |.',
  12: 'Give the missing value.',
  13: 'Check the number against its allowed range.',
  14: 'Choose a name of 3 to 64 letters and digits.',
  15: 'Choose another name for the group.',
  19: ASK_OWNER,
  20: ASK_OWNER,
  21: ASK_OWNER,
  22: 'Your role on the server does not allow this. Ask an administrator for the publisher role.',
  24: SIGN_IN,
  26: 'Choose another name, or update the content that has this name.',
  28: 'Upload a bundle first.',
  29: SIGN_IN,
  30: 'Check username and password.',
  35: 'Remove it where it is used, then try again.',
  38: 'Remove a manifest.json made by another tool and publish again, or write a valid one.',
  39: 'This kind of content cannot do that.',
  40: 'Confirm your account through the e-mail the server sent.',
  48: 'The type of content cannot change once published: publish it as new content.',
  50: 'Your account is locked. Ask an administrator to unlock it.',
  51: 'Choose another path, or take it from the other content with force.',
  75: 'Activate another bundle first, then delete this one.',
  82: 'Choose a bundle of this content item.',
  87: 'Something between here and the server changed the request: check proxies.',
  92: 'Sign in again.',
  95: 'Use an API key.',
  98: 'Check username and password.',
  99: SIGN_IN,
  100: 'Wait until the running task has ended, then try again.',
  104: 'The archive was damaged on its way: publish again; if it stays, look at proxies in between.',
  106: 'Read the variables again and repeat the change.',
  108: 'Leave this variable out: the server sets it itself, or keeps it for its own programs.',
  109: ASK_ADMINISTRATOR,
  110: 'The category of content cannot change once published: publish it as new content.',
  111: 'Parameters cannot appear or vanish once published: publish it as new content.',
  118: 'Choose another access type, or ask an administrator.',
  119: 'Search the directory first and use the ticket it gives.',
  120: 'Create the account directly; this server gives no tickets.',
  125: 'The archive arrived empty: check proxies in between, then publish again.',
  126: 'The connection was cut during the upload: publish again.',
  132: 'The sign-in system of this server does not offer this.',
  134: 'The server could not store the bundle; its disk may be full. Ask an administrator.',
  135: 'The archive could not be unpacked: publish again; an archive of your own must be a tar.gz.',
  136: 'Write times like 2026-01-31T12:00:00Z.',
  141: 'The task may still be running. Look again in a moment; behind a load balancer sticky sessions must be on.',
  144: 'This content is updated from git: push there instead.',
};

/** What to do about a code of the table, or undefined when nothing particular is known. */
export function hintForCode(code: number | null): string | undefined {
  return code === null ? undefined : BY_CODE[code];
}

/** What to do about an error status whose code says nothing more. */
export function hintForStatus(status: number): string {
  if (status === 401) return SIGN_IN;
  if (status === 403)
    return 'Your account may not do this. Ask the owner of the content or an administrator.';
  if (status === 404) return 'Check the address of the server and the identifier.';
  if (status === 409)
    return 'Something with this name exists, or it changed meanwhile: look at it and try again.';
  if (status === 413) return 'The bundle is larger than the server or a proxy accepts: exclude large files.';
  if (status === 429) return 'The server is asked too often: wait a moment and try again.';
  if (status >= 500) return 'The server has a problem: try again later, then ask its administrator.';
  return 'Check what was sent against the message.';
}

/** What to do about an answer that is none of this API. */
export function hintForBadAnswer(kind: BadAnswerKind, status: number | null): string {
  if (status === 413) {
    return 'A proxy in front of the server refuses uploads of this size: exclude large files, or have its limit raised.';
  }
  if (status === 502 || status === 503 || status === 504) {
    return 'A proxy answers instead of the server, which may be restarting: try again in a moment.';
  }
  if (status === 407) return 'The proxy asks for a password: put it into the proxy address.';
  if (kind === 'html') {
    return status === 404
      ? 'There is no content server at this address: check it, with its sub-path.'
      : 'A web page came instead of data, probably the login page of a proxy: sign in there, or use an address that goes straight to the server.';
  }
  if (kind === 'redirect') return 'Use the address the server is really at.';
  if (kind === 'too-large')
    return 'Ask for less at a time, or check that the address is that of a content server.';
  if (kind === 'not-http')
    return 'What listens there does not speak HTTP: check scheme (http or https) and port.';
  return 'Check that the address is that of a content server, and which version it has.';
}

/** What to do when no answer came. */
export function hintForNoAnswer(kind: NoAnswerKind, server: string): string {
  switch (kind) {
    case 'dns':
      return `Check the spelling of ${server}, the network and the VPN: the name has no address here.`;
    case 'refused':
      return `Check that the server is running and the port in ${server} is right; a firewall may be in between.`;
    case 'tls':
      return 'The certificate is not trusted here: set CONNECT_CA_CERTIFICATE to the file of your certificate authority, and check the host name.';
    case 'timeout':
      return 'The server is slow or the network drops packets: try again; check VPN and proxy.';
    case 'reset':
      return 'The connection broke off: try again; during an upload a proxy may limit size or time.';
    case 'aborted':
      return 'It was stopped on request.';
  }
}
