// What people read in place of a page that is not for them, or no longer there, and where they can go on.
import { type ApiError, ERRORS } from '@pressroom/api/contract';

interface Words {
  readonly text: string;
  /** A path of the dashboard, and the text of the link. */
  readonly next?: readonly [path: string, label: string];
}

const ADMINISTRATORS = /^\/(?:audit|backup|content-use|server|server-check|tags|tasks|users)(?:[/?]|$)/;

/** @param path of the page, below the dashboard, with its query */
export function refusedPage({ code, message }: ApiError, path: string): Words {
  if (message !== ERRORS[code].message) return { text: message };
  const [, guid, page] = /^\/content\/([^/?]+)(\/[^?]+)?/.exec(path) ?? [];
  if (code === 4)
    return { text: `There is no such ${guid === undefined ? 'page' : 'content'}. It may have been deleted.` };
  if (code !== 19 && code !== 22) return { text: message };
  if (guid !== undefined && page === undefined)
    return {
      text: 'You may not view this content. Its owner and collaborators can give you access.',
      next: [`/content/${guid}/request`, 'Ask for access'],
    };
  if (guid !== undefined)
    return {
      text: 'This page is for the owner and collaborators of the content.',
      next: [`/content/${guid}`, 'Back to the content'],
    };
  if (path.startsWith('/publish'))
    return { text: 'Publishing needs the publisher role.', next: ['/account', 'Ask for it in your account'] };
  if (path.startsWith('/tasks/')) return { text: 'This task is of content that you do not work on.' };
  return { text: ADMINISTRATORS.test(path) ? 'This page is for administrators.' : message };
}
