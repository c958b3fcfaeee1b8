// Details of a bundle next to its number, in trees and lists.
import { shortSha, type Bundle, withoutDirections } from '@pressroom/api/contract';
import { agoText, sizeText } from './texts.ts';

const SHA_SHOWN = 7;
const SUBJECT_SHOWN = 50;

/** @param mark such as "active" */
export function bundleText(bundle: Bundle, mark: string | undefined, now: number): string {
  const commit = commitOf(bundle);
  const made = commit && [shortSha(commit.sha, SHA_SHOWN), clip(commit.subject)].filter(Boolean).join(' ');
  return [mark, made, agoText(bundle.created_time, now), sizeText(bundle.size)].filter(Boolean).join(' · ');
}

export interface Commit {
  readonly sha: string;
  /** First line of its message. */
  readonly subject: string;
  readonly author: string;
}

/** The commit of a bundle; undefined for uploaded ones, and if unsupported by the server. */
export function commitOf(bundle: object): Commit | undefined {
  const { metadata } = bundle as { readonly metadata?: Readonly<Record<string, unknown>> | null };
  const { source_commit: sha, source_subject: subject, source_author: author } = metadata ?? {};
  if (typeof sha !== 'string' || sha === '') return undefined;
  return { sha, subject: textOf(subject), author: textOf(author) };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? withoutDirections(value) : '');

function clip(text: string): string {
  return text.length > SUBJECT_SHOWN ? `${text.slice(0, SUBJECT_SHOWN - 1)}…` : text;
}
