// A failure in one line: what happened, and what to do about it.
import { ContentGoneError, VariablesError } from '@pressroom/api';
import { FileSystemError, l10n } from 'vscode';

export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { hint, kind, operation } = error as Error & { hint?: unknown; kind?: unknown; operation?: unknown };
  const more = kind === 'tls' ? tlsHint() : typeof hint === 'string' ? hint : '';
  if (error instanceof ContentGoneError)
    return l10n.t(
      'Its content is not on the server any more. Publish it as new content, or check that this is the right server.',
    );
  if (error instanceof VariablesError)
    return l10n.t(
      'Line {0} of {1} is not NAME=value in UTF-8, or its quotes do not match. A value with quotes, or with # after a space, goes into quotes as a whole.',
      error.line,
      error.file,
    );
  const missing = (error as { code?: unknown }).code === 2 && operation === 'getServerSettings';
  if (missing) return l10n.t('There is no content server at this address. Check it, and its path.');
  // Its message may be no more than the address.
  const why = error instanceof FileSystemError ? `${error.message} (${error.code})` : error.message;
  return [sentence(oneLine(why)), more].filter((part) => part !== '').join(' ');
}

/** Within an editor, certificates come from its own settings and the system. */
function tlsHint(): string {
  return l10n.t(
    'Add the authority of the certificate to the certificates of your system (the setting http.systemCertificates takes them from there), or check the address.',
  );
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** With a full stop, so that what follows is read as the next sentence. */
export function sentence(text: string): string {
  return /[\p{L}\p{N})'"’”]$/u.test(text) ? `${text}.` : text;
}
