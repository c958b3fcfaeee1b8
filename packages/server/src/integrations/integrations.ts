// The OAuth integrations of this server: visitor API keys that read, and those that do what a publisher may.
import type { Integration } from '@pressroom/api/contract';
import type { Config } from '../main/config/settings.ts';
import type { ContentTable } from '../platform/database/schema.ts';
import type { VisitorRole } from './store.ts';

const kind = { template: 'connect', auth_type: 'Visitor API Key' } as const;
/** The same on all servers: clients name them by GUID. */
const INTEGRATIONS: Readonly<Record<VisitorRole, Integration>> = {
  viewer: {
    ...kind,
    id: '1',
    guid: '5d9c9f3e-0b1f-4c57-9a27-8f6f5a7a0c11',
    name: 'Visitor API keys, read only',
    description: 'The content item reads what its visitor may read.',
    config: { max_role: 'Viewer' },
  },
  publisher: {
    ...kind,
    id: '2',
    guid: '9f0a4a55-6f0e-4d8e-8b52-2f7d0a3f6e22',
    name: 'Visitor API keys of publishers',
    description: 'The content item does what its visitor may do as a publisher.',
    config: { max_role: 'Publisher' },
  },
};

/** Those that the server offers. */
export function offeredIntegrations(config: Config): readonly Integration[] {
  const { viewer, publisher } = INTEGRATIONS;
  const most = config['Applications.VisitorKeys'];
  return most === 'off' ? [] : most === 'viewer' ? [viewer] : [viewer, publisher];
}

/** One that the server offers. */
export function findIntegration(config: Config, guid: string): Integration | undefined {
  return offeredIntegrations(config).find((one) => one.guid === guid.toLowerCase());
}

/** The maximum role of its keys. */
export function roleOf({ guid }: Integration): VisitorRole {
  return guid === INTEGRATIONS.publisher.guid ? 'publisher' : 'viewer';
}

/** The one of a content item. */
export function integrationOf(
  config: Config,
  content: Pick<ContentTable, 'visitor_role'>,
): Integration | undefined {
  const role = visitorRoleOf(config, content);
  return role === null ? undefined : INTEGRATIONS[role];
}

/** The role with which a content item may act for its visitors; null for none. */
export function visitorRoleOf(
  config: Config,
  { visitor_role: role }: Pick<ContentTable, 'visitor_role'>,
): VisitorRole | null {
  const most = config['Applications.VisitorKeys'];
  if (role === null || most === 'off') return null;
  return most === 'viewer' ? most : role;
}
