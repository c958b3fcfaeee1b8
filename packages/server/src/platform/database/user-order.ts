// The order of lists of users, by first name, last name, username and e-mail. An index has these columns.
export const USER_ORDER = ['first_name_key', 'last_name_key', 'username_key', 'email', 'guid'] as const;
