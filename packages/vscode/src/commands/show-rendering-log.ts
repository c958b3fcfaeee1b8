// Shows what a rendering of a published document printed.
import type { Command } from './command.ts';
import { showProcessLog } from './show-process-log.ts';
import { DOCUMENT_NODE } from './when.ts';

export const showRenderingLog: Command = {
  // What runs is a process of an application or a rendering of a document, and has its log in the same place.
  ...showProcessLog,
  title: 'Show Rendering Logs',
  menus: [{ in: 'view/item/context', when: DOCUMENT_NODE, group: '4_run@8' }],
};
