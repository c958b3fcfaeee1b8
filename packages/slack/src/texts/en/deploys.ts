// English texts about releases, and differences of bundles.
import { formatFor } from '../format.ts';

const { count, number } = formatFor('en');

export const deploys = {
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
      held: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is held for review`,
      preparing: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is being prepared`,
      draft: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is ready as a draft`,
      draft_failed: (bundle: string, title: string) => `The draft of bundle ${bundle} of ${title} failed`,
      draft_cancelled: (bundle: string, title: string) =>
        `The draft of bundle ${bundle} of ${title} was cancelled`,
      draft_ended: (bundle: string, title: string) => `The draft of bundle ${bundle} of ${title} ended`,
      asked: (bundle: string, title: string) => `Bundle ${bundle} of ${title} waits for approval`,
      approved: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is approved`,
      overridden: (bundle: string, title: string) =>
        `Bundle ${bundle} of ${title} may go live without approval`,
      live: (bundle: string, title: string) => `Bundle ${bundle} of ${title} is live`,
      canary: (bundle: string, title: string) => `Bundle ${bundle} of ${title} takes a share of new sessions`,
      waiting: (bundle: string, title: string) =>
        `The canary of bundle ${bundle} of ${title} waits for somebody to make it live`,
      back: (bundle: string, title: string) =>
        `Bundle ${bundle} of ${title} was rolled back; what was live is live`,
      replaced: (bundle: string, title: string) => `The canary of bundle ${bundle} of ${title} was replaced`,
      withdrawn: (bundle: string, title: string) =>
        `The release of bundle ${bundle} of ${title} was withdrawn`,
      left: (bundle: string, title: string) =>
        `This channel gets no more news of bundle ${bundle} of ${title}`,
    },
    step: {
      held: (_who: string, when: string) => `Held ${when}`,
      preparing: (who: string, when: string) => `${who} began a deploy ${when}`,
      draft: (_who: string, when: string) => `The draft was ready ${when}`,
      draft_failed: (_who: string, when: string) => `The draft failed ${when}`,
      draft_cancelled: (_who: string, when: string) => `The draft was cancelled ${when}`,
      draft_ended: (_who: string, when: string) => `The draft ended ${when}`,
      asked: (who: string, when: string) => `${who} asked for approval ${when}`,
      approved: (who: string, when: string) => `${who} approved it ${when}`,
      overridden: (who: string, when: string) =>
        `${who} let it go live without the approvals that it lacks ${when}`,
      live: (who: string, when: string) => `${who} made it live ${when}`,
      canary: (who: string, when: string) => `The canary of ${who} began ${when}`,
      waiting: (_who: string, when: string) => `Its time was over ${when}`,
      back: (_who: string, when: string) => `It was rolled back ${when}`,
      replaced: (_who: string, when: string) => `It was replaced ${when}`,
      withdrawn: (who: string, when: string) => `${who} withdrew it ${when}`,
      left: (_who: string, when: string) => `Notifications in this channel ended ${when}`,
    },
    yours: (bundle: string, title: string) => `Your draft of bundle ${bundle} of ${title} failed`,
    overnight: (n: number) =>
      `From the quiet hours, ${count(n, 'bundle waits', 'bundles wait')} for a decision`,
    about: (bundle: string) => `About bundle ${bundle}`,
    commit: (sha: string, subject: string, author: string) =>
      `Commit \`${sha}\`${subject && ` ${subject}`}${author && ` (${author})`}`,
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
    side: (requests: number, errors: number, p90: string) =>
      `${count(requests, 'request', 'requests')}, ${number(errors)} failed, nine of ten within ${p90}`,
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
};
