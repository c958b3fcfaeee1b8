// Status, logs and usage in English.
import { formatFor } from '../format.ts';

const { count, number, percent, period } = formatFor('en');

export const facts = {
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
  usage: {
    yourContent: 'your content',
    ownNone: 'You do not own any content.',
    title: (about: string) => `Usage of ${about}`,
    period: (last: string) => `last ${period(last)}`,
    picture: 'As a picture',
    text: (about: string, n: number, last: string) =>
      `Usage of ${about}: ${count(n, 'visit', 'visits')} in the last ${period(last)}`,
    headline: (about: string, last: string) => `*Usage of ${about}*, last ${period(last)}`,
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
      `Chart of the usage of ${about} in the last ${period(last)}: ${count(visits, 'visit', 'visits')}, ${count(people, 'person', 'people')}, ${change}`,
    digestWeek: 'Usage last week',
    digestDay: 'Usage since yesterday',
    digestLine: (title: string, visits: number, people: number, trend: string) =>
      `${title}: ${count(visits, 'visit', 'visits')} by ${count(people, 'person', 'people')}${trend}`,
  },
};
