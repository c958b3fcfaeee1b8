// Deploys, releases, rollbacks and locks in English.
import { formatFor } from '../format.ts';

const { count, number, period } = formatFor('en');

export const deploys = {
  render: {
    started: (title: string, task: string, url: string | null) =>
      `:hourglass_flowing_sand: Rendering *${title}* (task ${task}).${url === null ? '' : ` Open it in a moment: ${url}`}`,
    notAValue: (word: string) => `*${word}* is not a value. Values are \`name=value\`.`,
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
      held: (bundle: string, title: string) => `:eyes: Bundle ${bundle} of *${title}* is held for a look`,
      preparing: (bundle: string, title: string) =>
        `:hourglass_flowing_sand: Bundle ${bundle} of *${title}* is being prepared`,
      draft: (bundle: string, title: string) =>
        `:pencil2: Bundle ${bundle} of *${title}* is ready as a draft`,
      draft_failed: (bundle: string, title: string) =>
        `:x: The draft of bundle ${bundle} of *${title}* failed`,
      asked: (bundle: string, title: string) =>
        `:raised_hand: Bundle ${bundle} of *${title}* waits for approval`,
      approved: (bundle: string, title: string) =>
        `:white_check_mark: Bundle ${bundle} of *${title}* is approved`,
      overridden: (bundle: string, title: string) =>
        `:warning: Bundle ${bundle} of *${title}* may go live without approval`,
      live: (bundle: string, title: string) => `:white_check_mark: Bundle ${bundle} of *${title}* is live`,
      canary: (bundle: string, title: string) =>
        `:hatching_chick: Bundle ${bundle} of *${title}* takes a share of new sessions`,
      waiting: (bundle: string, title: string) =>
        `:hatching_chick: The canary of bundle ${bundle} of *${title}* waits for somebody to make it live`,
      back: (bundle: string, title: string) =>
        `:rewind: Bundle ${bundle} of *${title}* went back; what was live is live`,
      replaced: (bundle: string, title: string) =>
        `:fast_forward: The canary of bundle ${bundle} of *${title}* was replaced`,
    },
    plain: {
      held: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is held for a look`,
      preparing: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is being prepared`,
      draft: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is ready as a draft`,
      draft_failed: (bundle: string, title: string) => `The draft of bundle ${bundle} of ${title} failed`,
      asked: (bundle: string, title: string) => `Bundle ${bundle} of ${title} waits for approval`,
      approved: (bundle: string, title: string) => `Bundle ${bundle} of ${title} was approved`,
      overridden: (bundle: string, title: string) =>
        `Bundle ${bundle} of ${title} may go live without approval`,
      live: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is live`,
      canary: (bundle: string, title: string) => `Bundle ${bundle} of ${title} takes a share of new sessions`,
      waiting: (bundle: string, title: string) =>
        `The canary of bundle ${bundle} of ${title} waits for somebody to make it live`,
      back: (bundle: string, title: string) => `Bundle ${bundle} of ${title} went back`,
      replaced: (bundle: string, title: string) => `The canary of bundle ${bundle} of ${title} was replaced`,
    },
    step: {
      held: (_who: string, when: string) => `Held ${when}`,
      preparing: (who: string, when: string) => `${who} began a deploy ${when}`,
      draft: (_who: string, when: string) => `The draft was ready ${when}`,
      draft_failed: (_who: string, when: string) => `The draft failed ${when}`,
      asked: (who: string, when: string) => `${who} asked for approval ${when}`,
      approved: (who: string, when: string) => `${who} approved it ${when}`,
      overridden: (who: string, when: string) =>
        `${who} let it go live without the approvals that it lacks ${when}`,
      live: (who: string, when: string) => `${who} made it live ${when}`,
      canary: (who: string, when: string) => `The canary of ${who} began ${when}`,
      waiting: (_who: string, when: string) => `Its time was over ${when}`,
      back: (_who: string, when: string) => `It went back ${when}`,
      replaced: (_who: string, when: string) => `It was replaced ${when}`,
    },
    about: (bundle: string) => `About bundle ${bundle}`,
    commit: (sha: string, subject: string, author: string) => `Commit \`${sha}\` ${subject} (${author})`,
    unused: (days: number) => `Nobody used it in the last ${number(days)} days.`,
    used: (people: number, total: number, days: number) =>
      `${count(people, 'person', 'people')} used it in the last ${number(days)} days: ${count(total, 'visit or session', 'visits and sessions')}.`,
    links: (names: string) => `Links to it: ${names}`,
    more: (n: number) => `${number(n)} more`,
    moved: '*Numbers that moved* in tables of the first page:',
    sameScreen: 'The first screen that a reader sees is the same.',
    screen: (share: string) => `${share} of the first screen that a reader sees differs.`,
    pictures: {
      before: (bundle: string) => `Before: bundle ${bundle}`,
      after: (bundle: string) => `After: bundle ${bundle}`,
      difference: 'What differs, in red',
    },
    side: (requests: string, errors: string, p90: string) =>
      `${requests} requests, ${errors} failed, nine of ten within ${p90}`,
    figures: (canary: string, live: string) => `*Canary:* ${canary}\n*Live:* ${live}`,
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
      `*Deploys of ${about}*, last ${period(since)}: ${number(n)}`,
    newest: (n: number) => `Only the newest ${number(n)} are shown.`,
    onlySome: (all: number, some: number) =>
      `Of ${number(all)} content items, only the ${number(some)} deployed last were looked at. Name one to see its deploys.`,
    states: { running: 'Running', succeeded: 'Succeeded', failed: 'Failed' },
    active: ', active',
    entry: (title: string, bundle: string) => `${title}: bundle ${bundle}`,
    uploaded: (title: string, bundle: string) => `${title}: bundle ${bundle} uploaded`,
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
};
