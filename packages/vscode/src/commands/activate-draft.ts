// Makes a draft live without building it again.
import type { Command } from './command.ts';
import { DRAFT_NODE, draftOf } from './draft-of.ts';

export const activateDraft: Command = {
  title: 'Make Draft Live',
  icon: '$(rocket)',
  menus: [
    { in: 'view/item/context', when: DRAFT_NODE, group: 'inline@2' },
    { in: 'view/item/context', when: DRAFT_NODE, group: '1_bundle@3' },
  ],
  async run(parts, argument) {
    const found = await draftOf(parts, argument);
    if (found === undefined) return;
    const { dir, record, draft } = found;
    const { server, guid } = record;
    const { bundle_id, task_id: draft_task_id } = draft;
    await parts.publisher.activateDraft(dir, { server, guid, bundle_id, draft_task_id });
  },
};
