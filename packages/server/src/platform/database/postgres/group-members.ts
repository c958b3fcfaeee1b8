// Triggers that keep what members of a group are sorted by.
import { USER_NAMES } from '../user-order.ts';

const of = (row: string) => USER_NAMES.map((column) => `${row}.${column}`).join(', ');

export const GROUP_MEMBER_TRIGGERS: readonly string[] = [
  // Waits for whoever renames the user, who would not see the new row.
  `create function group_member_added() returns trigger language plpgsql as $$ declare added record; begin
    select ${USER_NAMES.join(', ')} into added from user_account where guid = new.user_guid for share;
    if found then select ${of('added')} into ${of('new')}; end if;
    return new;
  end $$`,
  `create function group_member_renamed() returns trigger language plpgsql as $$ begin
    update group_member set (${USER_NAMES.join(', ')}) = (select ${of('new')}) where user_guid = new.guid;
    return null;
  end $$`,
  `create trigger group_member_added before insert on group_member
    for each row execute function group_member_added()`,
  `create trigger group_member_renamed after update of ${USER_NAMES.join(', ')} on user_account
    for each row when ((${of('old')}) is distinct from (${of('new')})) execute function group_member_renamed()`,
];
