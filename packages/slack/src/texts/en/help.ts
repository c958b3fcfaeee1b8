// Help in English.

export const help = {
  help: {
    title: 'Commands',
    text: (command: string) => `Commands of ${command}`,
    content: 'For content, type its name, part of its title or its GUID, or paste its address.',
    byDefault: (value: string) => ` (default ${value})`,
    more: (command: string) => `For help, type \`${command}\`.`,
  },
  /** For help: what each command does, as a sentence without its full stop, and its options. */
  commands: {
    status: {
      summary:
        'Show whether content is live and when it was last deployed; without a name, show the server and your content',
      options: {},
    },
    deploys: {
      summary: 'List the deploys of a content item, or of all content you can edit',
      options: { since: 'how far back' },
    },
    deploy: {
      summary: 'Deploy the active bundle again, or another one; the channel shows the progress',
      options: { bundle: 'the bundle to deploy' },
    },
    rollback: {
      summary: 'Go back to the last bundle that worked, or to another one, after you confirm',
      options: { bundle: 'the bundle to go back to' },
    },
    releases: { summary: 'Show the bundles that wait for approval, and who approved them', options: {} },
    render: {
      summary: 'Render a report again, or for you with other values for its parameters',
      options: { variant: 'the variant to render; with values, they become its own' },
    },
    approve: {
      summary: 'Approve a bundle that waits for it, as one of those who may and did not upload it',
      options: { bundle: 'the bundle, where several wait' },
    },
    changes: {
      summary:
        'Show what differs between the newest bundle, or another one, and the live one, in files and lines',
      options: {
        bundle: 'the newer bundle; the newest by default',
        since: 'the older bundle; the live one by default',
      },
    },
    lock: {
      summary: 'Lock deploys of a content item: nobody deploys it until the lock ends or is removed',
      options: {
        reason: 'what everybody who deploys is told',
        for: 'how long, such as 4h or 2d; without it, until `unlock`',
      },
    },
    unlock: { summary: 'Allow deploys of a content item again', options: {} },
    logs: {
      summary:
        'Show the output of the last deploy, or of a task; --follow posts a live message in the channel',
      options: { follow: 'show the progress in the channel until it ends' },
    },
    usage: {
      summary: 'Show visits, sessions, people and trend; without a name, of all content you own',
      options: { last: 'how far back', by: 'what to count by', picture: 'a picture, to show around' },
    },
    user: {
      summary: 'Show a person’s role, last activity, groups and content on the content server',
      options: {},
    },
    requests: {
      summary: 'List open requests for access to content that you share; grant or decline them',
      options: {},
    },
    who: { summary: 'Show who owns a content item and who can view or edit it', options: {} },
    subscribe: {
      summary:
        'Post notifications about a content item, or several, in this channel; deploys and failures by default',
      options: {
        all: 'all content that you can see',
        owner: 'content of this user; me for your own',
        tag: 'content with this tag',
        type: 'content of this type, such as shiny',
        quiet: 'hours in your time zone in which only failures are posted, such as 22-7',
        at: 'hour in your time zone at which digests come; 8 by default',
        variant: 'with renderings: of this variant only; several are separated by commas',
        language: 'language of the bot in this channel, en or de',
        'dry-run': 'show what would have been posted last week, without subscribing',
      },
    },
    unsubscribe: { summary: 'Stop notifications about a content item in this channel', options: {} },
    subscriptions: { summary: 'List the subscriptions of this channel', options: {} },
    link: { summary: 'Link your Slack user to your account on the content server', options: {} },
    unlink: { summary: 'Unlink your account and delete your API key from the bot', options: {} },
    audit: {
      summary: 'Show the audit log of the server; for administrators',
      options: { user: 'only what this person did', last: 'how far back' },
    },
    help: { summary: 'List the commands, or explain one', options: {} },
  },
};
