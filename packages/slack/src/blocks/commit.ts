// The commit of a bundle, with what is known of it: clients report no subject and author.
import { shortSha, type BundleCommit } from '@pressroom/api/contract';
import type { Texts } from '../texts/en.ts';
import { inline } from './text.ts';

export function commitText({ sha, subject, author, branch }: BundleCommit, { releases }: Texts): string {
  const known = (text: string, most: number) => text && inline(text, most);
  const named = releases.commit(inline(shortSha(sha)), known(subject, 200), known(author, 100));
  return [named, known(branch, 100)].filter(Boolean).join(' · ');
}
