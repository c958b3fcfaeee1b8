// Additional parts of a content item in GA responses, selected by `include`.
import type { ContentGa } from '@pressroom/api/contract';
import type { Config } from '../main/config/settings.ts';
import { seesAccount } from '../people/policy.ts';
import { findUsers } from '../people/store.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { tagsOfContent } from '../tags/store.ts';
import { contentUrl } from './present.ts';
import type { ContentRow } from './store.ts';
import { vanitiesOf } from './vanity/store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
}

export type Included = Pick<ContentGa, 'owner' | 'tags' | 'vanity_url'>;

/** Returns the additions for each item. @param include comma-separated names */
export async function included(
  { config, storage }: Parts,
  { include, caller, contentBase }: { include: string | undefined; caller: Caller; contentBase: string },
  contents: readonly ContentRow[],
): Promise<(content: ContentRow) => Included> {
  const wanted = new Set((include ?? '').split(',').map((word) => word.trim()));
  const owners = new Set(wanted.has('owner') ? contents.map((content) => content.owner_guid) : []);
  const visible = [...owners].filter((guid) => seesAccount(config, caller, guid));
  const people = new Map((await findUsers(storage.db, visible)).map((user) => [user.guid, user]));
  const guids = contents.map(({ guid }) => guid);
  const wants = (name: string) => wanted.has(name) && guids.length > 0;
  const vanities = wants('vanity_url') ? await vanitiesOf(storage.db, guids) : [];
  const paths = new Map(vanities.map((row) => [row.content_guid, row.path]));

  const tagged = wants('tags') ? await tagsOfContent(storage.db, guids) : [];
  const tags = Map.groupBy(tagged, (row) => row.content_guid);

  function ownerOf({ owner_guid: guid }: ContentRow) {
    const { username = '', first_name = '', last_name = '' } = people.get(guid) ?? {};
    return { guid, username, first_name, last_name };
  }

  function vanityOf(content: ContentRow): string | null {
    const vanityPath = paths.get(content.guid);
    return vanityPath === undefined ? null : contentUrl(content, { contentBase, vanityPath });
  }

  return (content) => ({
    ...(wanted.has('owner') && { owner: ownerOf(content) }),
    ...(wanted.has('tags') && {
      tags: (tags.get(content.guid) ?? []).map(({ id, name }) => ({ id: String(id), name })),
    }),
    ...(wanted.has('vanity_url') && { vanity_url: vanityOf(content) }),
  });
}
