// Kinds of failures other than a rejection by the server.

/** Why there was no response. `refused` is also an unreachable host or a proxy that will not connect. */
export type NoResponseKind = 'dns' | 'refused' | 'tls' | 'timeout' | 'reset' | 'aborted';
/** What was wrong with a response. */
export type InvalidResponseKind =
  | 'html'
  | 'not-json'
  | 'wrong-shape'
  | 'redirect'
  | 'too-large'
  | 'not-http'
  | 'wrong-dialect';
