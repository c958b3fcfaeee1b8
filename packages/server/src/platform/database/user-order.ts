// The order of lists of users, by first name, last name, username and e-mail. An index has these columns.
export const USER_NAMES = ['first_name_key', 'last_name_key', 'username_key', 'email'] as const;
export const USER_ORDER = [...USER_NAMES, 'guid'] as const;
