// A command: its syntax, the account it runs with, and its action.
import type { Client } from '@pressroom/api/client';
import type { Message } from '../blocks/blocks.ts';
import type { Invoker, Reply } from '../deliver/transport/reply.ts';
import type { Services } from '../services.ts';
import type { BothLanguages } from '../texts/both-languages.ts';
import type { Texts } from '../texts/en.ts';
import type { ParsedCommand } from './line/parsed-command.ts';
import type { Syntax } from './line/syntax.ts';

export type Command = CommandWithAccount | CommandWithoutAccount;
export type CommandTable = Readonly<Record<string, Command>>;

/** Texts of every command. */
export interface CommandTexts {
  /** One sentence without a full stop. */
  readonly summary: string;
  /** Descriptions of its options. */
  readonly options: Readonly<Record<string, string>>;
}

interface CommandBase {
  readonly texts: BothLanguages<CommandTexts>;
  readonly syntax: Syntax;
  /** Timeout in milliseconds; 9 seconds by default. */
  readonly timeout?: number;
}

export interface CommandWithAccount extends CommandBase {
  /** `own`: only with the invoker's key, for commands that change something; `any`: the guest key suffices. */
  readonly account: 'own' | 'any';
  readonly run: Runner;
}

export interface CommandWithoutAccount extends CommandBase {
  readonly account: 'none';
  readonly run: (run: Omit<Run, 'client'>) => Promise<Message | null>;
}

/** Returns the message to show; null if it has shown everything itself. */
export type Runner = (run: Run) => Promise<Message | null>;

export interface Run {
  readonly services: Services;
  /** All commands, for help. */
  readonly commands: CommandTable;
  readonly command: ParsedCommand;
  readonly invoker: Invoker;
  /** Acts with the rights of the invoker. */
  readonly client: Client;
  readonly reply: Reply;
  /** In the invoker's language; in the channel's for shared responses. */
  readonly texts: Texts;
  readonly signal: AbortSignal;
  /** The command line for [Share to channel]. */
  readonly share: string;
  /** Slack's URL for the response; null without one. */
  readonly responseUrl: string | null;
}
