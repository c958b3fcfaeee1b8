// Every command: what it takes, what it does, in one table. Parsing, help and the app manifest read it.

export type OptionShape =
  | { readonly type: 'flag'; readonly about: string }
  | { readonly type: 'duration'; readonly about: string; readonly standard: string }
  | {
      readonly type: 'choice';
      readonly about: string;
      readonly values: readonly string[];
      readonly standard: string;
    }
  | { readonly type: 'number'; readonly about: string }
  | { readonly type: 'text'; readonly about: string };

export interface CommandShape {
  /** Behind `/pressroom`, as in `deploy <content> [--bundle id]`. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly string[];
  /** What stands before the options. */
  readonly subject: 'none' | 'optional' | 'required';
  readonly options: Readonly<Record<string, OptionShape>>;
  /** Words that may follow the subject. */
  readonly trailing?: readonly string[];
  /** Changes something on the server: never for people who are not linked. */
  readonly changes?: true;
}

const SINCE = { type: 'duration', about: 'how far back', standard: '7d' } as const;
const LAST = { type: 'duration', about: 'how far back', standard: '30d' } as const;

export const FILTERS = ['deploys', 'failures', 'usage-weekly'] as const;
export type Filter = (typeof FILTERS)[number];

export const COMMANDS = {
  status: {
    usage: 'status [content]',
    summary:
      'Whether content is live, since when, and its last deploy; without a name, the server and your content',
    examples: ['status', 'status sales-report', 'status https://content.example.com/content/…/'],
    subject: 'optional',
    options: {},
  },
  deploys: {
    usage: 'deploys [content] [--since 7d]',
    summary: 'Deploys of a content item, or of everything you may see',
    examples: ['deploys sales-report --since 30d'],
    subject: 'optional',
    options: { since: SINCE },
  },
  deploy: {
    usage: 'deploy <content> [--bundle id]',
    summary: 'Deploy the active bundle again, or another one, with the channel watching',
    examples: ['deploy sales-report', 'deploy sales-report --bundle 42'],
    subject: 'required',
    options: { bundle: { type: 'number', about: 'the bundle to deploy' } },
    changes: true,
  },
  rollback: {
    usage: 'rollback <content>',
    summary: 'Go back to the bundle before the active one; asks first',
    examples: ['rollback sales-report'],
    subject: 'required',
    options: {},
    changes: true,
  },
  logs: {
    usage: 'logs <content|task> [--follow]',
    summary: 'The output of the last deploy, or of a task; --follow puts a live message in the channel',
    examples: ['logs sales-report', 'logs Ab3dEf6hIj9lMn2p --follow'],
    subject: 'required',
    options: { follow: { type: 'flag', about: 'watch it in the channel to its end' } },
  },
  usage: {
    usage: 'usage [content] [--last 30d] [--by day|week|user]',
    summary: 'Visits and sessions: totals, people, trend; without a name, of all content you own',
    examples: ['usage sales-report --last 90d --by week'],
    subject: 'optional',
    options: {
      last: LAST,
      by: {
        type: 'choice',
        about: 'what to count by',
        values: ['day', 'week', 'user'],
        standard: 'day',
      },
    },
  },
  user: {
    usage: 'user <name|email|@mention>',
    summary: 'Who somebody is on the content server: role, last activity, groups, content',
    examples: ['user ada', 'user ada@example.com'],
    subject: 'required',
    options: {},
  },
  who: {
    usage: 'who <content>',
    summary: 'Who owns a content item, and who may see and change it',
    examples: ['who sales-report'],
    subject: 'required',
    options: {},
  },
  subscribe: {
    usage: 'subscribe <content> [deploys|failures|usage-weekly]',
    summary: 'Post notices about a content item in this channel; deploys and failures if nothing is named',
    examples: ['subscribe sales-report failures', 'subscribe sales-report usage-weekly --quiet 22-7'],
    subject: 'required',
    options: {
      quiet: { type: 'text', about: 'hours (UTC) in which only failures are posted, as in 22-7' },
      'dry-run': { type: 'flag', about: 'show what would have been posted last week; subscribe to nothing' },
    },
    trailing: FILTERS,
  },
  unsubscribe: {
    usage: 'unsubscribe <content>',
    summary: 'No more notices about a content item in this channel',
    examples: ['unsubscribe sales-report'],
    subject: 'required',
    options: {},
  },
  subscriptions: {
    usage: 'subscriptions',
    summary: 'What this channel is told about',
    examples: ['subscriptions'],
    subject: 'none',
    options: {},
  },
  link: {
    usage: 'link',
    summary: 'Bind your Slack user to your account on the content server, with an API key',
    examples: ['link'],
    subject: 'none',
    options: {},
  },
  unlink: {
    usage: 'unlink',
    summary: 'Forget your API key',
    examples: ['unlink'],
    subject: 'none',
    options: {},
  },
  audit: {
    usage: 'audit [--user name] [--last 7d]',
    summary: 'The audit log of the server; for administrators',
    examples: ['audit --user ada --last 30d'],
    subject: 'none',
    options: { user: { type: 'text', about: 'only what this person did' }, last: SINCE },
  },
  help: {
    usage: 'help [command]',
    summary: 'This list, or more about one command',
    examples: ['help deploy'],
    subject: 'optional',
    options: {},
  },
} as const satisfies Record<string, CommandShape>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

export function shapeOf(name: CommandName): CommandShape {
  return COMMANDS[name];
}
