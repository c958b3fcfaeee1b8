// pressroom admin: users and groups of the server, its state and its backups, for administrators.
import type { CommandGroup } from '../../command.ts';
import { adminBackup } from './backup.ts';
import { adminDoctor } from './doctor.ts';
import { adminDrain, adminResume, adminServers } from './drain.ts';
import { adminGroups } from './groups.ts';
import { resetPassword } from './reset-password.ts';
import { adminRestore } from './restore.ts';
import { adminUsers } from './users.ts';

export const admin: CommandGroup = {
  name: 'admin',
  synopsis: 'admin users|groups|reset-password|doctor|backup|restore|servers|drain|resume',
  summary: 'Manage users, groups and servers; requires the API key of an administrator',
  commands: [
    adminUsers,
    adminGroups,
    resetPassword,
    adminDoctor,
    adminBackup,
    adminRestore,
    adminServers,
    adminDrain,
    adminResume,
  ],
};
