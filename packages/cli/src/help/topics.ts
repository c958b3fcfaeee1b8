// Topics of `pressroom help` besides commands.

export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: readonly string[];
}

export const EXIT_CODES = [
  'Exit codes:',
  '  0    success',
  '  1    the deploy failed',
  '  2    invalid usage or settings',
  '  3    the server rejected the request',
  '  4    no response, or an invalid response, from the server',
  '  5    the outcome is unknown; the task may still be running',
  '  130  cancelled',
];

export const TOPICS: readonly Topic[] = [
  {
    name: 'content',
    summary: 'How to name the content of a command',
    text: [
      'Commands about content take a directory, or the GUID, address, name or title of content:',
      '',
      '  pressroom status                        the content published from the current directory',
      '  pressroom status reports/sales          the content published from that directory',
      '  pressroom status 6f1c2a9e-…             the content with that GUID; pressroom list shows them',
      '  pressroom status https://…/content/…/   the content at that address',
      '  pressroom status sales-report           the content with that name or title',
      '',
      'Where the argument names somebody or something else, the content is an option: --content CONTENT.',
      'An existing directory takes precedence over a name. The server of an address does not count.',
      'A directory is known by its deployment record, .pressroom/, which the first deploy writes. It names the',
      'server, too. Commit it, so that everybody updates the same content.',
    ],
  },
  {
    name: 'environment',
    summary: 'Environment variables that the command reads',
    text: [
      'CONNECT_SERVER               Server, unless --server is given',
      'CONNECT_API_KEY              API key for CONNECT_SERVER, or for the server of --server without it',
      'PRESSROOM_ID_TOKEN           OpenID Connect token of the CI, where no key is stored (pressroom trust);',
      '                             on GitHub the permission id-token: write is enough',
      'PRESSROOM_GIT_TOKEN          Token of a private repository (pressroom git connect)',
      'PRESSROOM_PACKAGES_PASSWORD  Password for package repositories (pressroom repositories add --username)',
      'PRESSROOM_GITLAB_TOKEN       What comments on merge requests are written with (pressroom comment)',
      'CONNECT_CA_CERTIFICATE       File of a certificate authority to trust',
      'HTTPS_PROXY, HTTP_PROXY      Proxy for the address of the server',
      'NO_PROXY                     Hosts that are reached without the proxy',
      'XDG_CONFIG_HOME              Keys of pressroom login are kept in pressroom/credentials.json below it',
      '                             (default: ~/.config)',
      'XDG_CACHE_HOME               The compiled command is kept in pressroom below it (default: ~/.cache)',
      '',
      'The server is, in this order: --server, CONNECT_SERVER, the one of the deployment record, the last login.',
      'A key is only sent to the server that it belongs to.',
    ],
  },
  {
    name: 'exit-codes',
    summary: 'What the exit codes mean',
    text: [
      ...EXIT_CODES,
      '',
      'Errors are written to standard error. With 5, pressroom logs TASK tells how the deploy ends.',
      'With --output json an error is one JSON object: error, code (of the server), status, hint.',
    ],
  },
  {
    name: 'output',
    summary: 'Tables, JSON, and what goes to standard error',
    text: [
      '--output table   columns for people (default)',
      '--output json    what the API of the server returned, one JSON document a line; --json is short for it',
      '',
      'Standard output has the result and nothing else: progress, notes and errors go to standard error.',
      'deploy, render, restart, rollback and logs print one JSON event a line.',
    ],
  },
];
