// Reloads the views.
import type { Command } from './command.ts';

export const refresh: Command = {
  title: 'Refresh',
  icon: '$(refresh)',
  palette: false,
  menus: [
    { in: 'view/title', when: 'view == pressroom.deployments', group: 'navigation@9' },
    { in: 'view/title', when: 'view == pressroom.files', group: 'navigation@9' },
  ],
  run: ({ refresh }) => refresh(),
};
