// Whether collaborators see a bar above content that links back to the dashboard.
import type { Audit } from '../audit/record.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { loadContent } from './commands.ts';
import { aboutContent, updateContentRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly contentChanged: (guid: string) => void;
}

/** @throws ApiError 21 */
export async function setBar(
  { storage, audit, contentChanged }: Parts,
  caller: Caller,
  guid: string,
  isShown: boolean,
): Promise<void> {
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'updateContent');
    if ((content.hide_bar === 0) === isShown) return;
    await updateContentRow(tx, content.guid, { hide_bar: isShown ? 0 : 1 });
    const description = `${isShown ? 'Showed' : 'Hid'} the bar above content ${content.name} (${content.guid})`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
  }, aboutContent(guid));
  contentChanged(guid);
}
