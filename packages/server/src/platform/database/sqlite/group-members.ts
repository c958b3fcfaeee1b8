// Triggers that keep what members of a group are sorted by.
import { USER_NAMES } from '../user-order.ts';

const NAMES = USER_NAMES.join(', ');

export const GROUP_MEMBER_TRIGGERS: readonly string[] = [
  `create trigger group_member_added after insert on group_member begin
    update group_member set (${NAMES}) = (select ${NAMES} from user_account where guid = new.user_guid)
    where group_guid = new.group_guid and user_guid = new.user_guid;
  end`,
  `create trigger group_member_renamed after update of ${NAMES} on user_account
    when ${USER_NAMES.map((column) => `old.${column} is not new.${column}`).join(' or ')} begin
    update group_member set (${NAMES}) = (${USER_NAMES.map((column) => `new.${column}`).join(', ')})
    where user_guid = new.guid;
  end`,
];
