// Server roles as options and arguments.
import { ROLES, type ServerRole } from '@pressroom/api/contract';
import { stringOption, type CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

/** The command lists the roles as choices of the option. */
export function roleOption(context: CommandContext, name: string): ServerRole | undefined {
  const wanted = stringOption(context, name);
  return ROLES.find((known) => known === wanted);
}

/** Throws UsageError. */
export function parseRole(wanted: string): ServerRole {
  const role = ROLES.find((known) => known === wanted);
  if (role === undefined) throw new UsageError(`Unknown role: ${wanted}.`, `Use one of: ${ROLES.join(', ')}`);
  return role;
}
