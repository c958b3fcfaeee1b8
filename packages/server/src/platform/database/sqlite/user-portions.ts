// Triggers that keep the counts of `user_portion`.
import { USER_ORDER } from '../user-order.ts';

/** Adds to the portion of the user, which is the last one that does not start after them. */
function add(n: number, row: 'new' | 'old'): string {
  return `update user_portion set n = n + ${n} where id = (
    select id from user_portion where (${USER_ORDER.join(', ')}) <= (${USER_ORDER.map((column) => `${row}.${column}`).join(', ')})
    order by ${USER_ORDER.map((column) => `${column} desc`).join(', ')} limit 1
  );`;
}

export const USER_PORTION_TRIGGERS: readonly string[] = [
  `create trigger user_added after insert on user_account begin ${add(1, 'new')} end`,
  `create trigger user_removed after delete on user_account begin ${add(-1, 'old')} end`,
  `create trigger user_moved after update of ${USER_ORDER.join(', ')} on user_account begin ${add(-1, 'old')} ${add(1, 'new')} end`,
];
