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
  /** By which the HTML names it. */
  readonly cid?: string;
}

export interface Mailer {
  send(mail: Mail): Promise<void>;
}

export function createMailer(url: string, from: string): Mailer {
  const transport = createTransport(url);
  return {
    async send(mail) {
      const { attachments, ...rest } = mail;
      await transport.sendMail({ from, ...rest, ...(attachments && { attachments: [...attachments] }) });
    },
  };
}
