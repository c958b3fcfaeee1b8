// Hints for people: what to do after a failure, by code, status and kind.
import type { InvalidResponseKind, NoResponseKind } from './failure-kinds.ts';

const SIGN_IN = 'Sign in again with a valid API key. You can create one in the dashboard of the server.';
const ASK_ADMINISTRATOR = 'Ask an administrator of the server.';
const ASK_OWNER = 'Ask the owner of the content to make you a collaborator, or publish it as new content.';

const ASK_EITHER = 'Ask the owner of the content, or an administrator of the server.';
/** The owner may be who is refused: deploys are locked, or approvals missing. */
const ASK_OTHERS = 'Ask the owner of the content. If it is yours, ask an administrator of the server.';

const BY_CODE: Readonly<Record<number, string>> = {
  1: 'Try again. If the problem persists, tell the administrator when it happened; the server has logged it.',
  2: 'The server does not support this operation. Check the address, or ask for a newer server version.',
  3: 'Check the identifier for typos.',
  4: 'It was deleted, or never existed on this server. Check what you named; deleted content can be published as new content.',
  5: 'Choose a name of 3 to 64 letters, digits, dashes and underscores.',
  6: 'Choose a longer password.',
  7: 'Choose another username.',
  8: 'Choose another username, or use the existing account.',
  10: ASK_OWNER,
  11: 'Check the filter; several GUIDs are joined with |.',
  12: 'Provide the missing value.',
  13: 'Use a number in the allowed range.',
  14: 'Choose a name of 3 to 64 letters and digits.',
  15: 'Choose another name for the group.',
  19: ASK_OWNER,
  20: ASK_EITHER,
  21: ASK_OWNER,
  22: 'Ask the owner of the content to make you a collaborator. If it is yours, ask an administrator for the publisher role.',
  24: SIGN_IN,
  26: 'Choose another name, or update the content that has this name.',
  28: 'Upload a bundle first.',
  29: SIGN_IN,
  30: 'Check username and password.',
  33: 'Let them view it, or ask an administrator to make them a publisher first.',
  35: 'Remove it where it is used, then try again.',
  38: 'Correct manifest.json, or delete it and publish again to have a new one written.',
  39: 'This type of content does not support that.',
  40: 'Confirm your account with the link in the e-mail from the server.',
  48: 'The type of content cannot change once published: publish it as new content.',
  49: 'Another administrator can do this: nobody locks or unlocks their own account.',
  50: 'Your account is locked. Ask an administrator to unlock it.',
  51: 'Choose another path, or take it from the other content with force.',
  75: 'Activate another bundle first, then delete this one.',
  82: 'Choose a bundle of this content item.',
  87: 'A proxy may have changed the request. Check your proxy settings.',
  92: 'Sign in again.',
  95: 'Use an API key.',
  98: 'Check username and password.',
  99: SIGN_IN,
  100: 'Wait until the running task has ended, then try again.',
  104: 'The archive was damaged during the upload. Publish again; if the problem persists, check your proxy.',
  106: 'Reload the variables and repeat the change.',
  108: 'Remove this variable: the server reserves it.',
  109: ASK_ADMINISTRATOR,
  110: 'The category of content cannot change once published: publish it as new content.',
  111: 'Parameters cannot be added or removed once published: publish it as new content.',
  118: 'Choose another access type, or ask an administrator.',
  119: 'Search the directory first and use the ticket from its result.',
  120: 'Create the account directly; this server does not issue tickets.',
  125: 'The server received an empty archive. Check your proxy, then publish again.',
  126: 'The connection was cut during the upload: publish again.',
  132: 'The authentication provider of this server does not support this.',
  134: 'The server could not store the bundle; its disk may be full. Ask an administrator.',
  135: 'The archive could not be extracted. Publish again; an archive must be a tar.gz file.',
  136: 'Use times such as 2026-01-31T12:00:00Z.',
  141: 'The task may still be running. Check again in a moment. A load balancer must have sticky sessions turned on.',
  144: 'This content is updated from git: push there instead.',
  145: ASK_ADMINISTRATOR,
};

/** The server says that the key has a lower role than the operation needs. */
export const LIMITED_KEY =
  'This API key is limited to a role. Use another key, or create one with a higher role in the dashboard.';

/**
 * A remedy for a refusal, if the server says no more than the meaning of the code, or `isExplained`. Other servers
 * refuse keys with code 3 and rights with code 4: the status tells which.
 */
export function hintForRefusal(code: number | null, status: number, isExplained: boolean): string {
  if (code === 22 && isExplained) return ASK_OTHERS;
  // What changed meanwhile is refused with it, too: then waiting does not help.
  if (code === 100 && isExplained) return '';
  const hint = code === null ? undefined : BY_CODE[code];
  const isOfOthers = (status === 401 || status === 403) && (code === 3 || code === 4);
  // An S3 store that does not respond for the moment, not a disk.
  const isOfStore = code === 134 && status === 503;
  if (hint === undefined || isOfOthers || isOfStore) return hintForStatus(status);
  return hint;
}

/** A remedy for an error status without a known code. */
function hintForStatus(status: number): string {
  return BY_STATUS[status] ?? (status >= 500 ? SERVER_PROBLEM : CORRECT);
}

const SERVER_PROBLEM =
  'The server has a problem. Try again later; if the problem persists, ask its administrator.';
const CORRECT = 'Correct the request as the message says.';
const BY_STATUS: Readonly<Record<number, string>> = {
  401: SIGN_IN,
  403: 'Your account may not do this. Ask the owner of the content or an administrator.',
  404: 'Check the address of the server and the identifier.',
  409: 'The name is taken, or the object was changed in the meantime. Check it and try again.',
  413: 'The bundle is larger than the server or a proxy accepts: exclude large files.',
  429: 'Too many requests: wait a moment and try again.',
};

/** A remedy for an invalid response. */
export function hintForInvalidResponse(kind: InvalidResponseKind, status: number | null): string {
  const byProxy = status === null ? undefined : OF_PROXIES[status];
  if (byProxy !== undefined) return byProxy;
  if (kind === 'html' && status === 404) return NO_SERVER;
  return INVALID_RESPONSES[kind] ?? NO_CONTENT_SERVER;
}

const RESTARTING = 'A proxy answered instead of the server, which may be restarting: try again in a moment.';
const OF_PROXIES: Readonly<Record<number, string>> = {
  407: 'The proxy requires a password: add it to the proxy address.',
  413: 'A proxy in front of the server rejects uploads of this size: exclude large files, or ask for a higher limit.',
  502: RESTARTING,
  503: RESTARTING,
  504: RESTARTING,
};
const NO_SERVER = 'There is no content server at this address: check it, with its sub-path.';
const NO_CONTENT_SERVER = 'Check that the address is that of a content server, and which version it runs.';
const INVALID_RESPONSES: Readonly<Partial<Record<InvalidResponseKind, string>>> = {
  html: 'It is probably the sign-in page of a proxy. Sign in there, or use the direct address of the server.',
  redirect: 'Use the actual address of the server.',
  'too-large': 'Request less at a time, or check that the address is that of a content server.',
  'not-http': 'What listens there does not speak HTTP: check scheme (http or https) and port.',
};

/** For terminals: editors have their own certificate settings. */
export const NOT_TRUSTED =
  'The certificate is not trusted here: set CONNECT_CA_CERTIFICATE to the file of your certificate authority, and check the host name.';

/** A remedy for no response. */
export function hintForNoResponse(kind: NoResponseKind, operation: string): string {
  return kind === 'reset' && operation === 'uploadContentBundle' ? CUT_UPLOAD : NO_RESPONSES[kind];
}

const CUT_UPLOAD = 'Try again; a proxy may limit the size or duration of uploads.';

const NO_RESPONSES: Readonly<Record<NoResponseKind, string>> = {
  dns: 'Check the spelling of the address, your network and your VPN.',
  refused: 'Check that the server is running and the port is right; a firewall may be in between.',
  tls: NOT_TRUSTED,
  timeout: 'The server or the network is slow. Try again, and check your VPN and proxy.',
  reset: 'Try again in a moment: the server or a proxy may be restarting.',
  aborted: 'The call was cancelled.',
};

/** The current time is outside the certificate's validity. */
export const EXPIRED =
  'The certificate of the server has expired, or is not valid yet. Check the date of this machine, or tell the administrator of the server.';

/** A response without TLS on a TLS connection. */
export const NOT_TLS = 'The server does not use TLS. Enter the address with http:// if that is right.';

/** A response of a TLS server to a request without TLS. */
export const NEEDS_TLS = 'The server requires TLS: enter the address with https://.';

/** All hints except those with an address: for translations. */
export const HINTS: readonly string[] = [
  ...new Set([
    ...Object.values(BY_CODE),
    ASK_EITHER,
    ASK_OTHERS,
    LIMITED_KEY,
    ...Object.values(BY_STATUS),
    SERVER_PROBLEM,
    CORRECT,
    ...Object.values(OF_PROXIES),
    NO_SERVER,
    NO_CONTENT_SERVER,
    ...Object.values(INVALID_RESPONSES),
    ...Object.values(NO_RESPONSES),
    CUT_UPLOAD,
    EXPIRED,
    NOT_TLS,
    NEEDS_TLS,
  ]),
];
