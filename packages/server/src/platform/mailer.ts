// Sends mail through the configured SMTP server.
import { createTransport } from 'nodemailer';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly attachments?: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly filename: string;
  readonly content: Buffer;
  readonly contentType?: string;
  /** Referenced by the HTML. */
  readonly cid?: string;
}

export interface Mailer {
  send(mail: Mail): Promise<void>;
}

/** Milliseconds that a mail server may be silent: half the time that RFC 5321 (4.5.3.2.6) gives it for a whole mail. */
export const SILENCE_MS = 300_000;

/** Milliseconds. */
interface MailTimeouts {
  readonly connectionTimeout?: number;
  readonly greetingTimeout?: number;
  readonly socketTimeout?: number;
}

/**
 * A mail server on this machine may have a self-signed certificate, as Debian's does by default: nobody is in between.
 * Options in the address take precedence.
 */
export function createMailTransport(url: string, timeouts: MailTimeouts = {}) {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
  return createTransport({ url, ...timeouts, ...(isLocal && { tls: { rejectUnauthorized: false } }) });
}

export function createMailer(url: string, from: string): Mailer {
  const transport = createMailTransport(url, { socketTimeout: SILENCE_MS });
  return {
    async send(mail) {
      const { attachments, to, ...rest } = mail;
      await transport.sendMail({
        from,
        // As text, it could be a list: identity providers may let people choose what their address is.
        to: { name: '', address: to },
        // Absence notices are not sent in response (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...rest,
        ...(attachments && { attachments: [...attachments] }),
      });
    },
  };
}
