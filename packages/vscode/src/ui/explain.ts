// Describes a failure in one line: what happened, and what to do about it.
import {
  InvalidResponseError,
  isMissingEndpoint,
  NoResponseError,
  NOT_TRUSTED,
  type Wording,
} from '@pressroom/api/client';
import {
  BundleError,
  ContentGoneError,
  ContentLockedError,
  NoDraftsError,
  RecordError,
  VariablesError,
} from '@pressroom/api/publish';
import { FileSystemError, l10n } from 'vscode';

export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { hint, operation } = error as Error & { hint?: unknown; operation?: unknown };
  const more = typeof hint === 'string' ? hintText(hint) : '';
  if (error instanceof ContentGoneError)
    return l10n.t(
      'The content no longer exists on the server. Publish it as new content, or check that this is the right server.',
    );
  if (error instanceof ContentLockedError) {
    const reason = error.reason === '' ? '' : sentence(oneLine(error.reason));
    const text = l10n.t(
      '{0} is locked on the server. {1} Unlock it in the dashboard, ask its owner, or publish it as new content.',
      error.content,
      reason,
    );
    return oneLine(text);
  }
  if (error instanceof NoDraftsError)
    return l10n.t(
      'This server has no drafts: the bundle would go live. Publish it to another target instead.',
    );
  if (error instanceof VariablesError)
    return l10n.t(
      'Line {0} of {1} must be NAME=value in UTF-8 with matching quotes. Quote the whole value if it contains quotes, or # after a space.',
      error.line,
      error.file,
    );
  if (isMissingEndpoint(error))
    return operation === 'getServerSettings'
      ? l10n.t('No content server was found at this address. Check the address, including its path.')
      : l10n.t('The server does not offer this.');
  return [sentence(oneLine(messageOf(error))), more].filter((part) => part !== '').join(' ');
}

/** Errors whose message the API core provides as a template with values. */
const WORDED = [NoResponseError, InvalidResponseError, BundleError, RecordError];

function messageOf(error: Error): string {
  for (const kind of WORDED) if (error instanceof kind) return translated(error.wording);
  // Its message may only be the address.
  return error instanceof FileSystemError ? `${error.message} (${error.code})` : error.message;
}

export function translated({ text, values }: Wording): string {
  const known = values.map((value) => (typeof value === 'string' ? value : translated(value)));
  return l10n.t(text, ...known);
}

/** In an editor, certificates come from its settings and the system. */
function hintText(hint: string): string {
  if (hint !== NOT_TRUSTED) return l10n.t(hint);
  return l10n.t(
    'Add the certificate authority to the certificates of your system (see the setting http.systemCertificates), or check the address.',
  );
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Adds a full stop, before another sentence. */
export function sentence(text: string): string {
  return /[\p{L}\p{N})'"’”]$/u.test(text) ? `${text}.` : text;
}
