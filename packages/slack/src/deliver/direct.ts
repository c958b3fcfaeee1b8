// Where direct messages go.

/** Before a Slack user: a channel of `@U1` is the direct messages of that person. */
export const DIRECT = '@';
