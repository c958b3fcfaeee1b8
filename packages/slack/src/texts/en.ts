// Every text of the bot in English; de.ts has the same in German, and the compiler compares them. What is put into a text
// has been made safe by the caller (blocks/text.ts); formatting is Slack's mrkdwn.
import { formatFor } from './format.ts';

export type LanguageCode = 'en' | 'de';

const f = formatFor('en');
const { count, number, percent, span } = f;

export const en = {
  code: 'en' as LanguageCode,
  number,
  percent,
  span,
  bundles: (n: number) => count(n, 'bundle', 'bundles'),
  files: (n: number) => count(n, 'file', 'files'),
  lines: (n: number) => count(n, 'line', 'lines'),
  visits: (n: number) => count(n, 'visit', 'visits'),
  buttons: {
    approvals: 'Approvals',
    approve: 'Approve',
    cancel: 'Cancel',
    changes: 'Changes',
    chooseContent: 'Choose content',
    deploy: 'Deploy',
    close: 'Close',
    commands: 'Commands',
    follow: 'Follow in channel',
    fullLog: 'Get full log',
    link: 'Link',
    lock: 'Lock',
    logs: 'Logs',
    makeLive: 'Make live',
    open: 'Open',
    openSignIn: 'Open sign-in page',
    recentDeploys: 'Recent deploys',
    redeploy: 'Redeploy',
    rollBack: 'Roll back',
    rollBackAsk: 'Roll back…',
    share: 'Share to channel',
    signIn: 'Sign in with browser',
    status: 'Status',
    unlock: 'Unlock',
    unsubscribe: 'Unsubscribe',
    usage: 'Usage',
    useKey: 'Use an API key',
  },
  words: {
    access: 'Access',
    account: 'Account',
    action: 'Action',
    active: 'Active',
    anonymous: 'anonymous',
    anonymousVisits: 'Anonymous',
    bundle: 'Bundle',
    cause: 'Cause',
    content: 'Content',
    created: 'Created',
    day: 'Day',
    details: 'Details',
    didYouMean: 'Did you mean:',
    email: 'Email',
    event: 'Event',
    groups: 'Groups',
    lastActive: 'Last active',
    lastDeploy: 'Last deploy',
    locked: 'Locked',
    name: 'Name',
    never: 'never',
    none: 'None',
    notPublished: 'Not published',
    notVisible: 'not visible to you',
    owner: 'Owner',
    people: 'People',
    personOrGroup: 'Person or group',
    result: 'Result',
    role: 'Role',
    sessions: 'Sessions',
    somebody: 'Somebody',
    status: 'Status',
    time: 'Time',
    type: 'Type',
    user: 'User',
    visibleTo: 'Visible to',
    visits: 'Visits',
    week: 'Week of',
    you: 'You',
    yourContent: 'Your content',
    yourRole: 'Your role',
  },
  visibility: {
    all: 'Anyone',
    logged_in: 'Anyone with an account',
    acl: 'Specific people and groups',
  },
  /** Of people, on the content server. */
  roles: { administrator: 'administrator', publisher: 'publisher', viewer: 'viewer' },
  /** Of somebody, for a content item. */
  contentRoles: { owner: 'owner', editor: 'editor', viewer: 'viewer', none: 'none' },
  failure: {
    unexpected: 'The bot had an unexpected error. See its log.',
    headline: (doing: string) => `${doing} failed`,
    code: (code: number) => `code ${code}`,
    invalidKey:
      'Your API key is no longer valid: it was revoked, or your account is locked. Link your account again.',
    command: (line: string) => line,
    readLog: 'Reading the log',
    redeploy: 'The redeploy',
    rollback: 'The rollback',
    sendLog: 'Sending the log',
    lockAccount: 'Locking or unlocking the account',
    link: 'Linking',
    noPermission: (title: string) => `You do not have permission to deploy *${title}*.`,
    expiredChoice: 'This choice has expired. Type the command again.',
    noContentInMessage: 'This message is about no content of the server.',
  },
  find: {
    several: (n: number, words: string) => `${number(n)} content items match *${words}*.`,
    which: (words: string) => `Which content is ${words}?`,
    onlyFirst: 'Only the first 100 are shown. Type more of the name to see fewer.',
    none: (words: string) => `No content matches ${words}`,
    noneVisible: (words: string) => `No content that you can see matches *${words}*.`,
  },
  parse: {
    unknownCommand: (word: string) => `Unknown command “${word}”.`,
    unknownOption: (flag: string, command: string) => `Unknown option --${flag} for ${command}.`,
    needsValue: (option: string) => `--${option} requires a value.`,
    duration: (option: string) =>
      `--${option} must be a duration such as 24h, 7d, 4w or 3m, up to two years.`,
    choice: (option: string, values: string) => `--${option} must be one of ${values}.`,
    number: (option: string) => `--${option} must be a number.`,
    tooLong: 'The name is too long.',
    noName: (command: string) => `${command} does not take a name.`,
    missing: (usage: string) => `Missing argument. Usage: /pressroom ${usage}`,
  },
  render: {
    started: (title: string, task: string, url: string | null) =>
      `:hourglass_flowing_sand: Rendering *${title}* (task ${task}).${url === null ? '' : ` Open it in a moment: ${url}`}`,
    noVariant: (name: string) =>
      `There is no variant ${name}. Create it in the dashboard, or leave --variant out.`,
  },
  approve: {
    done: (title: string, standing: string) => `:white_check_mark: You approved *${title}*. ${standing}.`,
    text: (bundle: string, title: string) => `Approved bundle ${bundle} of ${title}`,
  },
  releases: {
    none: (title: string) => `No bundle of *${title}* waits for approval.`,
    text: (n: number, title: string) => `Bundles of ${title} that wait for approval: ${number(n)}`,
    headline: (title: string) => `:ballot_box_with_check: Bundles of *${title}* that wait for approval`,
    asked: (when: string) => `Asked for ${when}`,
    standing: (bundle: string, given: number, needed: number, by: string) =>
      `Bundle ${bundle}: ${number(given)} of ${number(needed)} approvals${by}`,
    overriddenBecause: (reason: string) => `, overridden: ${reason}`,
    canApprove: (who: string) => `Can approve: ${who}`,
    stuck: (who: string) =>
      `:no_entry: ${who === '' ? '' : `${who} `}Too few people may approve it: accounts are locked, groups are empty or deleted, or rights are missing. The owner or an administrator changes the approval rule, or overrides it.`,
    state: {
      asked: (bundle: string, title: string) =>
        `:raised_hand: Bundle ${bundle} of *${title}* waits for approval`,
      approved: (bundle: string, title: string) =>
        `:white_check_mark: Bundle ${bundle} of *${title}* is approved`,
      overridden: (bundle: string, title: string) =>
        `:warning: Bundle ${bundle} of *${title}* may go live without approval`,
      live: (bundle: string, title: string) => `:white_check_mark: Bundle ${bundle} of *${title}* is live`,
    },
    plain: {
      asked: (bundle: string, title: string) => `Bundle ${bundle} of ${title} waits for approval`,
      approved: (bundle: string, title: string) => `Bundle ${bundle} of ${title} was approved`,
      overridden: (bundle: string, title: string) =>
        `Bundle ${bundle} of ${title} may go live without approval`,
      live: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is live`,
    },
    step: {
      asked: (who: string, when: string) => `${who} asked for approval ${when}`,
      approved: (who: string, when: string) => `${who} approved it ${when}`,
      overridden: (who: string, when: string) =>
        `${who} let it go live without the approvals that it lacks ${when}`,
      live: (who: string, when: string) => `${who} made it live ${when}`,
    },
  },
  audit: {
    title: (whose: string, last: string) => `Audit log${whose === '' ? '' : ` of ${whose}`}, last ${last}`,
    headline: (whose: string, last: string, n: number, more: boolean) =>
      `*Audit log*${whose === '' ? '' : ` of ${whose}`}, last ${last}: ${more ? 'the newest ' : ''}${count(n, 'entry', 'entries')}, newest first${more ? '. There are more in the dashboard.' : ''}`,
  },
  changes: {
    same: 'no file differs',
    type: 'Type',
    mainFile: 'Main file',
    rPackage: (name: string) => `R package ${name}`,
    sum: (files: number, added: number, removed: number) =>
      `${count(files, 'file', 'files')}, +${added} −${removed} ${added + removed === 1 ? 'line' : 'lines'}`,
    title: (title: string, sum: string) => `Changes of ${title}: ${sum}`,
    headline: (title: string, from: string, to: string, sum: string) =>
      `*${title}*, bundle ${from} → ${to}: ${sum}`,
    more: (n: number) => `… and ${count(n, 'more file', 'more files')}`,
    noBundles: (title: string) => `*${title}* has no bundles that you can see.`,
    nothingToCompare: (bundle: string, title: string) =>
      `There is nothing to compare bundle ${bundle} of *${title}* with.`,
    noBundle: (title: string, bundle: string) => `*${title}* has no bundle ${bundle}.`,
    tooLarge: (bundle: string) => `Bundle ${bundle} is too large to be compared here.`,
  },
  deploy: {
    started: (title: string, task: string, where: string) => `Deploying *${title}* (task ${task}). ${where}`,
    theDeploy: 'the deploy',
    theRedeploy: 'the redeploy',
    theRollback: (bundle: string) => `the rollback to bundle ${bundle}`,
    already: (who: string, what: string, task: string | null) =>
      `${who} already started ${what}${task === null ? '' : ` (task ${task})`}.`,
    youAlready: (what: string, task: string | null) =>
      `You already started ${what}${task === null ? '' : ` (task ${task})`}.`,
    startedOnce: (what: string, title: string, task: string, where: string) =>
      `Started ${what} of *${title}* (task ${task}). ${where}`,
    maybeStarted: (what: string, title: string, command: string) =>
      `:warning: The content server did not answer, so it is not known whether ${what} of *${title}* started. Check \`${command} status\` in a minute, before you try again.`,
    channelShows: 'The channel shows the progress.',
    directShows: 'Your direct messages show the progress.',
    notInChannel: (mention: string) =>
      `The bot is not in this channel, so your direct messages show the progress. To change that, invite it with \`/invite ${mention}\`.`,
  },
  deploys: {
    allContent: 'all content',
    editable: 'content you can edit',
    title: (about: string) => `Deploys of ${about}`,
    headline: (about: string, since: string, n: number) =>
      `*Deploys of ${about}*, last ${since}: ${number(n)}`,
    newest: (n: number) => `Only the newest ${number(n)} are shown.`,
    onlySome: (all: number, some: number) =>
      `Of ${number(all)} content items, only the ${number(some)} deployed last were looked at. Name one to see its deploys.`,
    states: { running: 'Running', succeeded: 'Succeeded', failed: 'Failed' },
    active: ', active',
    entry: (title: string, bundle: string) => `${title}: bundle ${bundle}`,
    uploaded: (title: string, bundle: string) => `${title}: bundle ${bundle} uploaded`,
  },
  help: {
    title: 'Commands',
    text: (command: string) => `Commands of ${command}`,
    content: 'For content, type its name, part of its title or its GUID, or paste its address.',
    byDefault: (value: string) => ` (default ${value})`,
    more: (command: string) => `For help, type \`${command}\`.`,
  },
  lock: {
    sayWhy: 'Say why: `--reason "Quarter-end freeze"`.',
    duration: '--for must be a duration such as 4h, 2d or 1w.',
    locked: (title: string, until: string | null, reason: string) =>
      `:lock: Deploys of *${title}* are locked${until === null ? '' : ` until ${until}`}: ${reason}`,
    unlocked: (title: string) => `:unlock: *${title}* can be deployed again.`,
    by: (who: string, until: string | null, reason: string) =>
      `:lock: ${who} locked deploys${until === null ? '' : ` until ${until}`}: ${reason}`,
  },
  logs: {
    running: 'is still running',
    succeeded: 'succeeded',
    failed: (code: number) => `failed with code ${code}`,
    text: (task: string, state: string) => `Task ${task} ${state}`,
    headline: (title: string, task: string, state: string, n: number) =>
      `*${title}*: task ${task} ${state}, ${count(n, 'line', 'lines')}`,
    noTask: 'There is no task with this ID either. The server keeps tasks for a limited time.',
    noDeploy: (title: string) => `No deploy of *${title}* was found.`,
    unknownContent: (task: string) =>
      `The content of task ${task} is not known. Type the name of the content instead.`,
    followedBy: (who: string) => `somebody (followed by ${who})`,
    unknownTask: 'The log of this deploy is not available, because its task is not known.',
    sent: (task: string) => `The full log of task ${task} is in your direct messages.`,
  },
  rollback: {
    question: (title: string) => `Roll back ${title}?`,
    ask: (title: string, from: string, to: string) => `Roll back *${title}* from ${from} to ${to}?`,
    noBundle: 'no bundle',
    bundle: (id: string) => `bundle ${id}`,
    target: (id: string, outcome: string, isDeployed: boolean, when: string) =>
      `bundle ${id} (${outcome}, ${isDeployed ? 'last deployed' : 'uploaded'} ${when})`,
    option: (id: string, outcome: string) => `Bundle ${id}: ${outcome}`,
    to: (live: string, title: string) => `${live} Roll back *${title}* to:`,
    lastGood: (id: string, when: string) => `Bundle ${id} is the last one that worked, deployed ${when}.`,
    remark: 'The deploy runs with your account, and the channel shows the progress.',
    outcomes: {
      succeeded: 'worked',
      failed: 'failed to deploy',
      running: 'is being deployed',
      none: 'outcome not known',
    },
    live: (id: string) => `Bundle ${id} is live.`,
    noneLive: 'No bundle is live.',
    looking: 'Looking for the bundle to go back to…',
    nothing: (live: string) => `This deploy failed, so there is nothing to roll back. ${live}`,
    isLive: (bundle: string, title: string) => `Bundle ${bundle} of *${title}* is live already.`,
    noPrevious: (title: string) => `*${title}* has no previous bundle.`,
    noneWorked: (title: string, line: string) =>
      `No earlier bundle of *${title}* has worked. To deploy one all the same, name it: \`${line}\`.`,
  },
  status: {
    live: 'Live',
    never: 'Never',
    bundles: (id: string, n: number) => `${id} (${count(n, 'bundle', 'bundles')})`,
    deploying: (bundle: string, since: string, task: string) =>
      `:hourglass_flowing_sand: Bundle ${bundle} has been deploying since ${since}${task}`,
    failed: (bundle: string, when: string, task: string, error: string) =>
      `:x: The last deploy, of bundle ${bundle} on ${when}, failed${task}: ${error}`,
    task: (task: string) => ` (task ${task})`,
    online: (server: string) => `${server} is online`,
    version: (version: string) => `, version ${version}`,
    notLinked: 'Your account is not linked.',
    signedIn: (who: string) => `Signed in as ${who}`,
    notPublished: 'not published',
  },
  subscribe: {
    quiet: '--quiet must be hours, such as 22-7.',
    hour: '--at must be an hour from 0 to 23.',
    language: '--language must be one of en, de.',
    oneItem: 'A dry run is of one content item.',
    noAudit: 'A dry run requires the audit log of the server, which the bot has no API key to read.',
    cannotPost: (mention: string) =>
      `The bot cannot post in this channel. Invite it with \`/invite ${mention}\`, and subscribe again.`,
    quietHours: (from: string, to: string, zone: string) =>
      `; only failures from ${from} to ${to} o’clock (${zone})`,
    digests: (hour: number, zone: string) => `; digests at ${hour} o’clock (${zone})`,
    noOutput: ' Output and causes are left out: only collaborators can see them.',
    done: (title: string, filters: string, more: string) =>
      `Subscribed this channel to *${title}*: ${filters}${more}.`,
    nameIt: 'Name the content, or say which: `--all`, `--owner`, `--tag` or `--type`.',
    dryRun: (n: number, title: string) =>
      `Dry run: ${count(n, 'notification', 'notifications')} about ${title} last week`,
    dryRunHeadline: (title: string, filters: string, n: number) =>
      `*${title}*, ${filters}: this channel would have received ${count(n, 'notification', 'notifications')} last week. No subscription was added.`,
    posted: 'posted',
    notSubscribed: 'not subscribed',
    failuresOnly: 'failures only',
    afterQuiet: 'after the quiet hours',
    deploy: 'Deploy',
    deployOf: (bundle: string) => `Deploy of bundle ${bundle}`,
    failed: ' failed',
    allContent: 'all content',
    ofType: (type: string) => `content of type ${type}`,
    tagged: (tag: string) => `content tagged ${tag}`,
    ownedBy: (who: string) => `content of ${who}`,
    noTag: (tag: string) => `There is no tag *${tag}*.`,
    noUser: (who: string) => `There is no user *${who}* that you can see.`,
    ended: (title: string, why: string) => `Notifications about *${title}* ended in this channel: ${why}.`,
    lostAccess: (who: string) => `${who}, who subscribed, can no longer see it`,
    unlinked: (who: string) => `${who} unlinked the account`,
    notHere: 'This channel is not subscribed to that content.',
    removed: (title: string) => `Unsubscribed this channel from *${title}*.`,
    list: (n: number) => `This channel has ${count(n, 'subscription', 'subscriptions')}`,
    emptyList: (line: string) => `This channel has no subscriptions. To add one, type \`${line}\`.`,
    row: (title: string, filters: string, quiet: string | null, by: string) =>
      `*${title}* · ${filters}${quiet === null ? '' : ` · quiet hours ${quiet}`} · added by ${by}`,
  },
  usage: {
    yourContent: 'your content',
    ownNone: 'You do not own any content.',
    title: (about: string) => `Usage of ${about}`,
    period: (last: string) => `last ${last}`,
    picture: 'As a picture',
    text: (about: string, n: number, last: string) =>
      `Usage of ${about}: ${count(n, 'visit', 'visits')} in the last ${last}`,
    headline: (about: string, last: string) => `*Usage of ${about}*, last ${last}`,
    comparedWith: 'Compared with before',
    noEarlier: 'no earlier data',
    change: (arrow: string, share: number, before: number) =>
      `${arrow} ${percent(share)} (${number(before)} before)`,
    sessionTime: 'Session time',
    mostVisited: 'Most visited',
    mostActive: 'Most active',
    showing: (shown: number, all: number) => `Showing ${number(shown)} of ${number(all)}.`,
    loading: (about: string, share: number, records: number) =>
      `Loading usage of *${about}*: ${percent(share)}, ${count(records, 'record', 'records')}`,
    by: {
      day: 'Usage by day',
      week: 'Usage by week',
      user: 'Usage by user',
    },
    together: {
      day: (n: number) => `Usage, ${number(n)} days together`,
      week: (n: number) => `Usage, ${number(n)} weeks together`,
      user: (_n: number) => 'Usage by user',
    },
    alternative: (about: string, last: string, visits: number, people: number, change: string) =>
      `Chart of the usage of ${about} in the last ${last}: ${count(visits, 'visit', 'visits')}, ${count(people, 'person', 'people')}, ${change}`,
    digestWeek: 'Usage last week',
    digestDay: 'Usage since yesterday',
    digestLine: (title: string, visits: number, people: number, trend: string) =>
      `${title}: ${count(visits, 'visit', 'visits')} by ${count(people, 'person', 'people')}${trend}`,
  },
  user: {
    lockTitle: 'Lock this account?',
    unlockTitle: 'Unlock this account?',
    lockText: (who: string) =>
      `*${who}* will not be able to sign in or use API keys until the account is unlocked.`,
    unlockText: (who: string) => `*${who}* will be able to sign in and use API keys again.`,
    locked: (who: string) => `*${who}* is locked now.`,
    unlocked: (who: string) => `*${who}* is unlocked now.`,
    noContent: 'No content that you can see.',
    content: (n: number, list: string, more: number) =>
      `*Content* (${number(n)}): ${list}${more > 0 ? `, and ${number(more)} more` : ''}`,
    matches: (n: number, words: string) => `${count(n, 'account', 'accounts')} match ${words}`,
    noMatch: (words: string) => `No account that you can see matches *${words}*.`,
    noEmail: 'Slack does not share the email address of this person.',
  },
  who: {
    title: (title: string) => `Access to ${title}`,
    more: (n: number) => `And ${number(n)} more. The dashboard lists all of them.`,
    onlyCollaborators: 'Only collaborators can see the list of people and groups.',
    canEdit: 'Can edit',
    canView: 'Can view',
    group: (name: string) => `${name} (group)`,
  },
  unlink: {
    notLinked: 'Your account was not linked.',
    revoked: 'Your account is unlinked, and the bot’s API key for it is revoked.',
    left: 'Your account is unlinked, and the bot has deleted your API key. Revoke the key on the server, too.',
  },
  link: {
    noWindow: 'Slack did not open the window. Press the button again, or sign in with the browser.',
    title: 'Link your account',
    about: (server: string) =>
      `The bot acts with *your* permissions on ${server}. Create an API key there and paste it here.`,
    key: 'API key',
    keyHint: (command: string) => `Stored encrypted and never shown. ${command} unlink deletes it.`,
    needed: 'This requires your account on the content server. Link it once, and your request continues.',
    first: 'Link your account first',
    browserText: 'Sign in with your browser to link your account',
    browser: (server: string, code: string) =>
      `Sign in on ${server}, and approve the request if the page shows the code *${code}*. The bot then acts with *your* permissions.`,
    browserHint:
      'Valid once, for ten minutes. Do not share this code: whoever approves it lets your Slack user act with their account.',
    noEmail:
      'Slack does not share your email address, so the bot cannot tell that an account is yours. Use an API key.',
    otherAccount: (who: string) =>
      `The account *${who}* has another email address than your Slack profile, so it was not linked. If it is yours, use an API key.`,
    done: (who: string) => `Your account is linked. You are signed in as *${who}*.`,
    notAKey: 'This is not a valid API key.',
    rejected: 'The server rejected this API key.',
  },
  home: {
    linkFirst: (server: string) => `Link your account on ${server} to see your content here.`,
    signedIn: (server: string, who: string) => `Signed in to ${server} as ${who}`,
    running: (n: number) => `*Deploys in progress* (${number(n)})`,
    content: (n: number) => `*Your content* (${number(n)})`,
    subscriptions: (n: number) => `*Your subscriptions* (${number(n)})`,
    subscription: (title: string, channel: string, filters: string) => `${title} in ${channel}: ${filters}`,
    more: (n: number) => `… and ${number(n)} more`,
    lastDeployed: (when: string) => `last deployed ${when}`,
    by: (who: string) => `by ${who}`,
  },
  live: {
    state: {
      running: 'is deploying',
      succeeded: 'is live',
      failed: 'failed to deploy',
      unknown: 'has an unknown deploy status',
    },
    via: { 'from Slack': 'from Slack', 'on the server': 'on the server' },
    by: (who: string, via: string) => `by ${who} ${via}`,
    bundle: (id: string) => `bundle ${id}`,
    task: (id: string) => `task ${id}`,
    auditLog: 'audit log',
    phases: ['Queued', 'Preparing', 'Building', 'Activating'] as readonly string[],
    output: (n: number) => `${count(n, 'line', 'lines')} of output so far`,
    stillLive: (bundle: string) => `Bundle ${bundle} is still live.`,
    redeployTitle: 'Redeploy?',
    redeployText: (title: string) => `This deploys the same bundle of *${title}* again, with your account.`,
    hidden: (n: number) => `… ${count(n, 'line', 'lines')} hidden`,
    yours: (title: string) => `Your deploy of ${title} failed`,
    yoursAfter: (title: string, after: string) => `:x: Your deploy of *${title}* failed after ${after}.`,
    after: (span: string) => `after ${span}`,
    retrying: (reason: string) => `${reason} Retrying.`,
    noOutcome: 'The server did not report how the deploy ended.',
    logBeginning: '(the beginning is left out)',
  },
  trouble: {
    crash: (title: string, how: string) => `:boom: A process of *${title}* crashed: it ${how}.`,
    crashText: (title: string) => `A process of ${title} crashed`,
    render: (title: string) => `:x: *${title}* could not be rendered. The last rendering stays live.`,
    renderText: (title: string) => `${title} could not be rendered`,
    onceAnHour: 'Further crashes within the hour are not posted.',
    task: (task: string) => `Task ${task}`,
    stuckText: (bundle: string, title: string) => `Bundle ${bundle} of ${title} cannot be approved`,
  },
  step: {
    ask: (title: string) => `A workflow asks you to deploy ${title}.`,
    remark: 'The active bundle is deployed again, with your account.',
    cancelled: 'The deploy was cancelled.',
    over: 'This was answered already.',
    noContent: 'Name the content to deploy.',
    notLinked: (command: string) =>
      `The person who is to deploy has not linked an account. Type ${command} link first.`,
    noPerson: 'Name the person who deploys, such as the one who started the workflow.',
    ambiguous: (words: string) => `“${words}” does not name one content item.`,
    failed: (reason: string) => `The deploy failed: ${reason}`,
    unknown: 'It is not known how the deploy ended.',
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

export type Texts = typeof en;
