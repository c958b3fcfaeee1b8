// The content items that a caller may see, by creation time, in portions: servers have tens of thousands of them.
import type { ContentGa } from '@pressroom/api/contract';
import type { Portions } from '../http/portions.ts';
import type { Config } from '../main/config/settings.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { contentBaseOf } from './address.ts';
import { included } from './included.ts';
import { contentRole, type ContentRole, contentScope } from './policy.ts';
import { presentContentGa } from './present.ts';
import { type ContentRow, type ContentSelection, readContentWithRole } from './store.ts';

export interface Reader {
  readonly caller: Caller;
  /** The caller as of now: a slow reader may lose the right meanwhile. @throws ApiError */
  readonly again: () => Promise<Caller>;
}

interface Visible {
  readonly content: ContentRow;
  readonly role: ContentRole;
}

type Selection = Omit<ContentSelection, 'scope'>;

/** With the caller for whom each portion was read. */
export async function* readVisible(
  { storage }: { readonly storage: Storage },
  { caller, again }: Reader,
  selection: Selection,
): AsyncGenerator<{ readonly caller: Caller; readonly items: readonly Visible[] }> {
  let identify = () => Promise.resolve(caller);
  const scope = contentScope(caller, null);
  for await (const rows of readContentWithRole(storage.db, { ...selection, scope })) {
    const reader = await identify();
    identify = again;
    const items = rows.flatMap(({ granted, ...content }) => {
      const role = contentRole(content, reader, granted);
      return role === null ? [] : [{ content, role }];
    });
    yield { caller: reader, items };
  }
}

/** In the GA form. */
export async function* presentVisible(
  parts: { readonly config: Config; readonly storage: Storage },
  { base, include, ...reader }: Reader & { readonly base: string; readonly include?: string | undefined },
  selection: Selection,
): Portions<ContentGa> {
  const contentBase = contentBaseOf(parts.config, base);
  for await (const { caller, items } of readVisible(parts, reader, selection)) {
    const contents = items.map(({ content }) => content);
    const more = await included(parts, { include, caller, contentBase }, contents);
    yield items.map(({ content, role }) => ({
      ...presentContentGa(content, { role, base, contentBase }),
      ...more(content),
    }));
  }
}
