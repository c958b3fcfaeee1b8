// Triggers that keep the counts of `user_portion`.
import { USER_ORDER } from '../user-order.ts';

/**
 * Adds to the portions of users, each the last one that does not start after the user: many users of one statement are
 * added together, as PostgreSQL keeps every version of a row until the transaction ends.
 */
function add(sign: '+' | '-', users: string): string {
  return `update user_portion set n = user_portion.n ${sign} those.n from (
    select portion.id, count(*) as n from ${users} as one cross join lateral (
      select id from user_portion where (${USER_ORDER.join(', ')}) <= (${USER_ORDER.map((column) => `one.${column}`).join(', ')})
      order by ${USER_ORDER.map((column) => `${column} desc`).join(', ')} limit 1
    ) as portion group by portion.id
  ) as those where user_portion.id = those.id;`;
}

const functionOf = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`;

export const USER_PORTION_TRIGGERS: readonly string[] = [
  functionOf('user_added', add('+', 'added')),
  functionOf('user_removed', add('-', 'removed')),
  functionOf('user_moved', `${add('-', '(select old.*)')} ${add('+', '(select new.*)')}`),
  `create trigger user_added after insert on user_account referencing new table as added
    for each statement execute function user_added()`,
  `create trigger user_removed after delete on user_account referencing old table as removed
    for each statement execute function user_removed()`,
  `create trigger user_moved after update of ${USER_ORDER.join(', ')} on user_account
    for each row execute function user_moved()`,
];
