// English texts about requests for access, and linked accounts.
import { formatFor } from '../format.ts';

const { count, number } = formatFor('en');

export const people = {
  access: {
    asks: (who: string, title: string) => `:key: *${who}* asks for access to *${title}*`,
    asksText: (who: string, title: string) => `${who} asks for access to ${title}`,
    asksRole: (who: string) => `:key: *${who}* asks to become a publisher`,
    asksRoleText: (who: string) => `${who} asks to become a publisher`,
    grantedViewer: (by: string, when: string) => `:white_check_mark: Granted as viewer by ${by} ${when}`,
    grantedCollaborator: (by: string, when: string) =>
      `:white_check_mark: Granted as collaborator by ${by} ${when}`,
    grantedPublisher: (by: string, when: string) => `:white_check_mark: Made publisher by ${by} ${when}`,
    declined: (by: string, when: string) => `:no_entry_sign: Declined by ${by} ${when}`,
    expired: (when: string) => `:hourglass: Expired ${when}: nobody answered in 30 days`,
    closed: 'This request is closed.',
    over: 'This request was answered already.',
    youGranted: 'Access granted.',
    youDeclined: 'Request declined.',
    youSee: (title: string) => `:white_check_mark: You have access to *${title}*.`,
    youSeeText: (title: string) => `You have access to ${title}`,
    yourDeclined: (address: string) =>
      `Your request for access was declined: ${address}. You can ask again 24 hours after you asked.`,
    yourDeclinedText: 'Your request for access was declined',
    yourExpired: (address: string) =>
      `Nobody answered your request for access in 30 days: ${address}. You can ask again.`,
    yourExpiredText: 'Your request for access has expired',
    youPublish: 'You are a publisher now.',
    yourRoleDeclined:
      'Your request to become a publisher was declined. You can ask again 24 hours after you asked.',
    yourRoleExpired: 'Nobody answered your request to become a publisher in 30 days. You can ask again.',
    list: (n: number) => count(n, 'open request', 'open requests'),
    noneOpen: 'No open requests.',
    onlyOldest: (n: number) => `Only the oldest ${number(n)} are shown.`,
  },
  link: {
    noWindow: 'Slack did not open the window. Press the button again, or sign in with the browser.',
    title: 'Link your account',
    about: (server: string) =>
      `The bot acts with *your* permissions on ${server}. Create an API key there and paste it here.`,
    key: 'API key',
    keyHint: (command: string) => `Stored encrypted and never shown. ${command} unlink deletes it.`,
    again: (who: string) =>
      `Your account is linked: you are signed in as *${who}*. Link again to use another account.`,
    needed: 'This requires your account on the content server. Link it once, and your request continues.',
    first: 'Link your account first',
    browserText: 'Sign in with your browser to link your account',
    browser: (server: string, code: string) =>
      `Sign in on ${server}, and approve the request if the page shows the code *${code}*. The bot then acts with *your* permissions.`,
    browserHint:
      'Valid once, for ten minutes. Do not share this code: whoever approves it lets your Slack user act with their account.',
    noEmail:
      'Slack does not share your email address, so the bot cannot tell that an account is yours. Use an API key.',
    otherWorkspace:
      'You are in another workspace than the bot, so it cannot tell that an account is yours. Use an API key.',
    otherAccount: (who: string) =>
      `The account *${who}* has another email address than your Slack profile, so it was not linked. If it is yours, use an API key.`,
    done: (who: string) => `Your account is linked. You are signed in as *${who}*.`,
    notAKey: 'This is not a valid API key.',
    unknownAccount:
      'The server does not say whose key this is, and no account there has the email address of your Slack profile.',
    rejected: 'The server rejected this API key.',
    problems: {
      unsupported: 'This server does not support signing in with the browser. Use an API key.',
      denied: 'The sign-in was denied in the browser. Try again, or use an API key.',
      expired: 'The sign-in was not approved in time. Try again: a code is valid for ten minutes.',
    },
  },
};
