// Which usernames are permitted.

/** Letters, digits and a few signs: nothing with a meaning in paths, patterns or commands. */
const USERNAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.@+-]{0,63}$/u;

/** Composed (NFC): the sign for kelvin would otherwise be the letter K of another account, because names ignore case. */
export function isUsername(username: string): boolean {
  return USERNAME.test(username) && username.normalize() === username;
}
