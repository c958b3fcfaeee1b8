// Cancels a publish.
import type { Command } from './command.ts';
import { pickDirectory } from './pick-directory.ts';
import { NODE } from './when.ts';

export const cancel: Command = {
  title: 'Cancel Publishing',
  icon: '$(debug-stop)',
  palette: 'pressroom.running',
  menus: [
    { in: 'view/item/context', when: `${NODE} /^directory\\.running/`, group: 'inline@1' },
    { in: 'view/item/context', when: `${NODE} /^directory\\.running/`, group: '1_run@1' },
  ],
  async run({ runs }, argument) {
    const running = runs.all().filter(({ state }) => state === 'running');
    const dir = await pickDirectory(
      argument,
      running.map((run) => run.dir),
    );
    if (dir !== undefined) runs.cancel(dir);
  },
};
