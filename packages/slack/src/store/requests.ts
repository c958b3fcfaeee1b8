// Requests for access and roles: one message per person who may decide.
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { RequestTable } from './schema.ts';

export type RequestRow = Selectable<RequestTable>;
export type RequestKey = Pick<RequestRow, 'team' | 'slack_user' | 'event'>;
type Asked = Omit<
  RequestRow,
  'ts' | 'channel' | 'state' | 'role' | 'decided_by' | 'decided_event' | 'decided_time' | 'created_time'
>;

export interface Requests {
  /** Once per event and person. */
  add(asked: Asked): Promise<void>;
  find(key: RequestKey): Promise<RequestRow | null>;
  posted(key: RequestKey, channel: string, ts: string): Promise<void>;
  /** Closes it for all recipients: returns them, also for a repeated event. */
  decide(
    request: Pick<RequestRow, 'kind' | 'request'>,
    decision: Pick<RequestRow, 'state' | 'role' | 'decided_by'> & {
      readonly decided_event: string;
      readonly decided_time: number;
    },
  ): Promise<RequestKey[]>;
}

const keyOf = ({ team, slack_user, event }: RequestKey) => ({ team, slack_user, event });

export function createRequests({ db }: Pick<Database, 'db'>, now: () => number): Requests {
  return {
    async add(asked) {
      const open = { state: 'asked', role: null, decided_by: '', decided_event: null } as const;
      await db
        .insertInto('slack_request')
        .values({ ...asked, ...open, ts: null, channel: null, decided_time: null, created_time: now() })
        .onConflict((conflict) => conflict.columns(['team', 'slack_user', 'event']).doNothing())
        .execute();
    },
    async find(key) {
      const row = await db
        .selectFrom('slack_request')
        .selectAll()
        .where((eb) => eb.and(keyOf(key)))
        .executeTakeFirst();
      return row ?? null;
    },
    async posted(key, channel, ts) {
      await db
        .updateTable('slack_request')
        .set({ channel, ts })
        .where((eb) => eb.and(keyOf(key)))
        .execute();
    },
    async decide({ kind, request }, decision) {
      await db
        .updateTable('slack_request')
        .set(decision)
        .where((eb) => eb.and({ kind, request, state: 'asked' }))
        .execute();
      return db
        .selectFrom('slack_request')
        .select(['team', 'slack_user', 'event'])
        .where((eb) => eb.and({ kind, request, decided_event: decision.decided_event }))
        .execute();
    },
  };
}
