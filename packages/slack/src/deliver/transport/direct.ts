// Direct messages as channels.

/** Prefix of a Slack user: a channel `@U1` means direct messages of that person. */
export const DIRECT = '@';
