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
  '  2    invalid usage or settings, or a directory that cannot be published: nothing was sent',
  '  3    the server rejected the request',
  '  4    no response, or an invalid response, from the server',
  '  5    the outcome could not be read; the task may still be running',
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
      'With --output json an error is one JSON object: error, failure (its class), code, payload and status (of',
      'the server, or null), kind (of a missing or invalid response), hint.',
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
      '',
      'Commands that follow a task print one JSON event a line: deploy, activate, rollback, canary promote, render,',
      'restart, git deploy, and logs TASK. The field type says which:',
      '',
      '  collect    what deploy publishes: type of content, entry point, files, excluded files, warnings',
      '  target     the content that deploy updates, or created',
      '  deploy     the task that makes a bundle live, or a draft: task_id, guid, bundle_id',
      '  variant    what render renders with other values: key, url, expires_time, task_id',
      '  log        a line of output, and its index from 0;  stage: what the next lines are about',
      '  warning    a problem that stops nothing',
      '  canary     after finished: the bundle is not live, but takes a share of new sessions, as canary show --json says',
      '  done       how deploy ended: content, url, bundle_id, draft or canary; of a dry run: preview',
      '  failed     or so: error, code, payload, hint, phase, and the cause in the output',
      '  finished   how a task of the others ended: code 0, or an error',
      '  unknown    it may go on: task_id, and the next line to read, first',
      '  cancelled  by Ctrl-C or SIGTERM',
      '',
      'read, pack and upload count bytes. logs CONTENT --follow prints one line of output a line: process, timestamp,',
      'data. Fields and types are only added; ignore those that you do not know.',
    ],
  },
];
