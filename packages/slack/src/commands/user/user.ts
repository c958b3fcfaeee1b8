// `user`: an account, as far as the invoker may see it.
import { RefusedError } from '@pressroom/api/client';
import type { Group } from '@pressroom/api/contract';
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import type { Command, Run } from '../command.ts';
import { listContent } from '../shared/find-content.ts';
import { findPeople, type FoundPeople } from '../shared/find-people.ts';
import { peopleMessage, personMessage } from './blocks.ts';
import { userTexts } from './texts.ts';

/** Maximum groups that are searched. */
const GROUPS = 50;

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
    const people = await findPeople(run, run.command.subject);
    return people === null ? note(userTexts(run.texts).noEmail) : show(run, people);
  },
};

async function show(run: Run, people: FoundPeople): Promise<Message> {
  const [only] = people.found;
  if (only === undefined || people.total > 1) return peopleMessage(people, run.texts);
  const { client, signal, share, texts } = run;
  const me = await client.getCurrentUser({}, { signal });
  const [groups, owned] = await Promise.all([groupsOf(run, only.guid), listContent(run, only.guid)]);
  const mayLock = me.user_role === 'administrator' && me.guid !== only.guid;
  return personMessage({ user: only, groups, owned, mayLock }, share, texts);
}

/** Null if the invoker may not see them, or there are too many groups. */
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
