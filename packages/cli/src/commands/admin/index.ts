// pressroom admin: users and groups of the server, for administrators.
import type { CommandGroup } from '../../command.ts';
import { adminGroups } from './groups.ts';
import { resetPassword } from './reset-password.ts';
import { adminUsers } from './users.ts';

export const admin: CommandGroup = {
  name: 'admin',
  synopsis: 'admin users|groups|reset-password',
  summary: 'Manage users and groups; requires the API key of an administrator',
  commands: [adminUsers, adminGroups, resetPassword],
};
