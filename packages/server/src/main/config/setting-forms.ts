// Formats of text settings, checked before anything starts.
import { isStrongKey } from '../../platform/secrets/secret-key.ts';
import { isSecure, parseAddresses } from './addresses.ts';

/** @param protocols such as `https:` */
function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** `fetch` refuses such addresses, with the password in its message. */
function hasUser(value: string): boolean {
  const { username, password } = new URL(value);
  return username !== '' || password !== '';
}

export const API_VERSION = {
  expected: 'a version such as 2026.04.0, or none',
  holds: (value: string) => value === 'none' || /^\d+(\.\d+){1,3}$/.test(value),
};

export const WEB_ADDRESS = {
  expected: 'an address such as https://content.example.com, without a user or a password',
  holds: (value: string) => isUrl(value, ['http:', 'https:']) && !hasUser(value),
};

/** Paths are appended to it. */
export const BASE_ADDRESS = {
  expected: `${WEB_ADDRESS.expected}, a query (?) or a fragment (#)`,
  holds: (value: string) => WEB_ADDRESS.holds(value) && !/[?#]/.test(value),
};

/** An empty one would be the directory in which the server is started. */
export const DIRECTORY = {
  expected: 'the path of a directory',
  holds: (value: string) => value.trim() !== '',
};

export const DATABASE_ADDRESS = {
  expected:
    'an address such as postgres://user@host/name with a password that is percent-encoded (%40 for @ and %2F for /)',
  holds(value: string) {
    if (!isUrl(value, ['postgres:', 'postgresql:'])) return false;
    const { pathname, search, hash } = new URL(value);
    // An unescaped character ended the password: the rest would be read as host, database or options.
    return hash === '' && !pathname.includes('@') && (pathname !== '' || !search.includes('@'));
  },
};

export const STORE_ADDRESS = {
  expected: 'an address such as https://s3.example.com, without a user or a path',
  holds(value: string) {
    if (!isUrl(value, ['http:', 'https:'])) return false;
    const { pathname, search } = new URL(value);
    return !hasUser(value) && pathname === '/' && search === '';
  },
};

export const KEY_PREFIX = {
  expected: 'letters, digits, dots, dashes and underscores between slashes, with a slash at the end',
  holds: (value: string) => /^(?:[\w.-]+\/)+$/.test(value) && !/(?:^|\/)\.{1,2}\//.test(value),
};

export const MAIL_ADDRESS = {
  expected: 'an address such as smtp://mail.example.com:587',
  holds: (value: string) => isUrl(value, ['smtp:', 'smtps:']),
};

export const SENDER = {
  expected: 'an address such as pressroom@example.com or Pressroom <pressroom@example.com>',
  holds: (value: string) => /^(?:[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(value),
};

export const LISTEN_ADDRESS = {
  expected: 'an address and a port, such as 127.0.0.1:3939',
  holds: (value: string) => Number(/^(?:\[[^\]]+\]|[^:]*):(\d{1,5})$/.exec(value)?.[1] ?? Infinity) < 2 ** 16,
};

export const SERVER_ADDRESS = {
  expected: 'a host and a port, such as server1.example.com:3941',
  holds: (value: string) =>
    /^(?:\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}$/i.test(value) && LISTEN_ADDRESS.holds(value),
};

export const CONTENT_LISTEN_ADDRESS = {
  expected: 'auto, off, or an address and a port, such as 0.0.0.0:3940',
  holds: (value: string) => value === 'off' || LISTEN_ADDRESS.holds(value),
};

export const ENGINE_ADDRESS = {
  expected:
    'unix:// and an absolute path, such as unix:///run/docker.sock, or an address such as tcp://127.0.0.1:2376',
  holds: (value: string) =>
    /^unix:\/\/\/[^?#]+$/.test(value) || (isUrl(value, ['tcp:']) && /^tcp:\/\/[^/@?#]+:\d+\/?$/.test(value)),
};

export const IMAGES = {
  expected: 'names of images such as registry.example.com/r:4.4, comma-separated or as a list',
  holds: (value: string) => value.split(',').every((name) => /^[a-z0-9][\w./:@-]*$/i.test(name.trim())),
};

export const NETWORK_NAME = {
  expected: 'the name of a network of the container engine, such as bridge or host',
  holds: (value: string) => /^[a-z0-9][\w.-]*$/i.test(value) && value !== 'none' && value !== 'container',
};

export const PROGRAM = {
  expected: 'an absolute path, or none',
  holds: (value: string) => value === 'none' || value.startsWith('/'),
};

export const PROGRAMS = {
  expected: 'absolute paths of programs, comma-separated or as a list',
  holds: (value: string) => value.split(',').every((path) => path.trim().startsWith('/')),
};

export const ISSUERS = {
  expected:
    'addresses that begin with https:// (http:// only on this machine), comma-separated or as a list, or none',
  holds: (value: string) =>
    value === 'none' ||
    value
      .split(',')
      .map((issuer) => issuer.trim())
      .every((issuer) => URL.canParse(issuer) && isSecure(new URL(issuer), 'http:')),
};

const ORIGIN =
  /^(https:\/\/(\*(\.[a-z0-9-]+){2,}|[a-z0-9-]+(\.[a-z0-9-]+)*)|http:\/\/(localhost|127\.0\.0\.1))(:\d+)?$/;

export const ORIGINS = {
  expected:
    'origins such as https://editor.example.com or https://*.example.com (http:// only on this machine), comma-separated or as a list',
  holds: (value: string) => value.split(',').every((origin) => ORIGIN.test(origin.trim())),
};

export const ADDRESSES = {
  expected: 'addresses and networks such as 127.0.0.1,10.0.0.0/8',
  holds(value: string) {
    try {
      parseAddresses(value);
      return true;
    } catch {
      return false;
    }
  },
};

export const SYSLOG_ADDRESS = {
  expected: 'an address such as udp://127.0.0.1:514, tcp://log.example.com:601 or tls://log.example.com:6514',
  holds: (value: string) => isUrl(value, ['udp:', 'tcp:', 'tls:']) && /^\w+:\/\/[^/@?#]+\/?$/.test(value),
};

export const STRONG_KEY = {
  expected:
    '32 random bytes or more, such as the output of: openssl rand -base64 32 (the one before goes into Secrets.PreviousKeys)',
  holds: isStrongKey,
};

/** Comma-separated words of a fixed set. */
export const someOf = (...words: string[]) => ({
  expected: `some of ${words.join(', ')}, comma-separated`,
  holds: (value: string) => value.split(',').every((word) => words.includes(word.trim())),
});

export const WEB_ADDRESSES = {
  expected:
    'URLs beginning with http:// or https://, without a user or a password, in one text, separated by spaces, not by commas',
  // A comma would become part of a host, which nobody has.
  holds: (value: string) =>
    value
      .trim()
      .split(/\s+/)
      .every((one) => WEB_ADDRESS.holds(one) && !one.endsWith(',') && !new URL(one).host.includes(',')),
};
