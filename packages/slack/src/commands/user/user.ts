// `user`: an account, as far as the asker may see it.
import { RefusedError } from '@pressroom/api/client';
import type { Group, User } from '@pressroom/api/contract';
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import type { Command, Run } from '../command.ts';
import { mentionedUser } from '../line/words.ts';
import { listContent } from '../shared/find-content.ts';
import { peopleMessage, personMessage } from './blocks.ts';
import { userTexts } from './texts.ts';

/** Maximum groups and people that are searched. */
const GROUPS = 50;
const PEOPLE = 500;

export const user: Command = {
  texts: userTexts,
  syntax: {
    usage: 'user <name|email|@mention>',
    examples: ['user ada', 'user ada@example.com'],
    subject: 'required',
    options: {},
  },
  account: 'any',
  async run(run) {
    const { command, asker, services, client, signal } = run;
    const mentioned = mentionedUser(command.subject);
    if (mentioned === null) return show(run, command.subject, await search(run, command.subject));
    const link = await services.store.findLink(asker.team, mentioned);
    if (link) return show(run, link.username, [await client.getUser({ guid: link.server_user }, { signal })]);
    const { email, name } = await services.slack.user(asker.team, mentioned);
    if (email === null) return note(userTexts(run.texts).noEmail);
    return show(run, name, await search(run, email));
  },
};

async function show(run: Run, words: string, found: readonly User[]): Promise<Message> {
  const [only] = found;
  if (only === undefined || found.length > 1) return peopleMessage(words, found, run.texts);
  const { client, signal, share, texts } = run;
  const me = await client.getCurrentUser({}, { signal });
  const [groups, owned] = await Promise.all([groupsOf(run, only.guid), listContent(run, only.guid)]);
  const mayLock = me.user_role === 'administrator' && me.guid !== only.guid;
  return personMessage({ user: only, groups, owned, mayLock }, share, texts);
}

/** A full username or address takes precedence over a prefix. */
async function search({ client, signal }: Run, words: string): Promise<User[]> {
  const wanted = words.toLowerCase().replace(/^@/, '');
  const prefix = wanted.includes('@') ? wanted.slice(0, wanted.indexOf('@')) : wanted;
  const found: User[] = [];
  for await (const person of client.each.getUsers({ prefix, page_size: 50 }, { signal })) found.push(person);
  if (wanted.includes('@') && !found.some(({ email }) => email.toLowerCase() === wanted)) {
    // An address need not start like the name: reads all users, up to a limit.
    let seen = 0;
    for await (const person of client.each.getUsers({ page_size: 100 }, { signal })) {
      if (person.email.toLowerCase() === wanted) return [person];
      if ((seen += 1) >= PEOPLE) break;
    }
    return [];
  }
  const exact = found.filter(
    ({ username, email }) => username.toLowerCase() === wanted || email.toLowerCase() === wanted,
  );
  return exact.length > 0 ? exact : found;
}

/** Null if the asker may not see them, or there are too many groups. */
async function groupsOf({ client, signal }: Run, guid: string): Promise<Group[] | null> {
  try {
    const { results, total } = await client.getGroups({ page_size: GROUPS }, { signal });
    if (total > GROUPS) return null;
    const inside = await Promise.all(
      results.map(async (group) => {
        const members = await client.getGroupMembers({ group_guid: group.guid }, { signal });
        return members.results.some((member) => member.guid === guid) ? group : null;
      }),
    );
    return inside.filter((group) => group !== null);
  } catch (error) {
    if (error instanceof RefusedError && error.status !== 401) return null;
    throw error;
  }
}
