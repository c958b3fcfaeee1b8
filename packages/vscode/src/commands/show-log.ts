// Shows the publishing log.
import type { Command } from './command.ts';

export const showLog: Command = {
  title: 'Show Publishing Log',
  icon: '$(output)',
  palette: true,
  run: ({ log }) => log.show(),
};
