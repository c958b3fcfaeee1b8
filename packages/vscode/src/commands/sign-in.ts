// Signs in to a server: the one of the argument, or the one that the person enters.
import type { Command } from './command.ts';

export const signIn: Command = {
  title: 'Sign In to Server',
  async run({ refresh, signIn: ask }, argument) {
    const done = typeof argument === 'string' ? await ask.key(argument) : await ask.server();
    if (done) refresh();
  },
};
