// A commit as it is shown to people.

/** The first digits of a SHA; a mark of changed files stays. */
export function shortSha(sha: string, digits = 10): string {
  return sha.slice(0, digits) + (sha.endsWith('-dirty') ? '-dirty' : '');
}

/** In a line, with what is known of subject and author. */
export function commitText(commit: { sha: string; subject: string; author: string }): string {
  const { sha, subject, author } = commit;
  return [shortSha(sha), subject, author && `(${author})`].filter(Boolean).join(' ');
}
