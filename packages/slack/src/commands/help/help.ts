// `help`: lists the commands, or explains one.
import { nearest } from '@pressroom/api/client';
import type { Command } from '../command.ts';
import { helpFor, helpList, problemMessage } from './blocks.ts';
import { helpTexts } from './texts.ts';

export const help: Command = {
  texts: helpTexts,
  syntax: {
    usage: 'help [command]',
    examples: ['help deploy'],
    subject: 'optional',
    options: {},
  },
  account: 'none',
  async run({ services, commands, command: { subject }, texts }) {
    if (subject === '') return helpList(services.command, commands, texts);
    const name = subject.toLowerCase();
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command) return helpFor(services.command, command, texts);
    const suggestions = nearest(name, Object.keys(commands)).map((candidate) => `help ${candidate}`);
    const problem = texts.parse.unknownCommand(subject);
    return problemMessage(services.command, { problem, command: null, suggestions }, texts);
  },
};
