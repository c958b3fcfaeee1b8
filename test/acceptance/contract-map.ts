// Maps each row of the contract to its test: `row | file | part of the test's name`.

/** The 31 operations (section 4). */
export const OPERATIONS = `
getAuditLogs | paging | returns each row once when read to the end in either direction
getBundle | rights-matrix | form %i is allowed as the table says
deleteBundle | content | deletes a bundle unless it is the active one
downloadBundle | publish | a page is created, uploaded, deployed, read, downloaded and deleted
getBundles | limits | requires page_size of 1 to 500 and a positive page_number for %s
createContent | content | new content has the defaults, and GET returns the same
getContent | content | getContent returns 401, 403, 404 and 200 as its four rules say
updateContent | content | updates change given fields: null clears, read-only and unknown fields are ignored
deleteContent | states | deleting content deletes its bundles, tasks and files
deployContentBundle | content | deploys the given bundle, else the active one, else the newest, else error 28
uploadContentBundle | uploads | accepts a checksum as %s, and returns it
getGroups | beside | are listed by name, with the closest match first for a prefix
createRemoteGroup | directory | are sorted by closest match and created without an owner
createGroup | beside | belong to their creator; names are unique regardless of case
searchRemoteGroups | directory | are sorted by closest match and created without an owner
getGroupMembers | limits | e-mail addresses of group members are hidden where the server hides them
addGroupMember | beside | only the owner or an administrator changes members; members may leave
removeGroupMember | beside | only the owner or an administrator changes members; members may leave
getGroup | beside | belong to their creator; names are unique regardless of case
deleteGroup | content | a group permission applies to its members until the group is deleted
getContentVisits | paging | are recorded for pages, signed in or not, with the fields in order
getShinyAppUsage | states | sessions are returned if they overlap the window, even without an end
getRInformation | states | R installations are a list of versions
getTask | content | tasks return their lines from first on, and reject values beyond
getUsers | users | sort by first name, last name, username and e-mail, in both directions
createPullUser | directory | are sorted by closest match, and have a guid once they have an account
createPushUser | users | GET returns a created user unchanged
searchRemoteUsers | directory | are sorted by closest match, and have a guid once they have an account
getUser | users | GET returns a created user unchanged
updateUser | users | updates return the modifiable fields, and follow the rules of roles
lockUser | users | a locked user gets 403 and code 50 immediately, and keeps their times
`;

/** The numbered rules, by section and number, and the rules in notes of operations. */
export const RULES = `
1 keyset 1 next | paging | returns paging links as documented, forwards and backwards
1 keyset 2 cursors | paging | returns each row once when read to the end in either direction
1 keyset 3 best effort | paging | keeps its pages while entries are added
1 offset 1 best effort | users | return pages up to an empty one
1 offset 2 page_number | limits | requires page_size of 1 to 500 and a positive page_number for %s
1 offset 3 page_size | limits | requires page_size of 1 to 500 and a positive page_number for %s
1 offset 4 iterating | users | return pages up to an empty one
2 read-only fields | content | updates change given fields: null clears, read-only and unknown fields are ignored
2 run_as read-only | content | run_as is read-only in the experimental form (section 2, Content)
2 size of bundles | states | a bundle whose file is missing has size zero (section 2, Bundle) and no archive
2 owner of groups | directory | lose their owner when the directory comes: only administrators delete them (section 2, Group)
2 confirmed, remote | directory | are confirmed, even if the account had a password before (section 2, UserWithTicket)
2 guid, remote | directory | have their guid even when the directory renamed them (2, UserWithTicket)
2 versions of bundles | states | versions of a bundle are visible to publishers and administrators only
3 type assigned and kept | content | the content type stays as the first deploy set it
3 type kept by updates | content | an update cannot change the type of deployed content, but may repeat it (section 3)
3 new active bundle | content | deploys the given bundle, else the active one, else the newest, else error 28
3 failed work | content | content without an engine fails by name, and the active bundle stays
3 lock and unlock | users | a locked user gets 403 and code 50 immediately, and keeps their times
3 account status | users | filter by role and status: | is OR, repetition is AND
3 confirmation | confirmation | with a mail server, sign-in requires confirming the address by the mailed link
4.1 administrators only | every-operation | returns 403 and code 22 to the role %s
4.3 getContent 1 to 4 | content | getContent returns 401, 403, 404 and 200 as its four rules say
4.3 role computed | rights-matrix | getContent computes the role of the caller
4.3 deploy 1 task | content | tasks return their lines from first on, and reject values beyond
4.3 deploy 2 to 4 engines | content | content without an engine fails by name, and the active bundle stays
4.3 deploy 5 static | publish | a page is created, uploaded, deployed, read, downloaded and deleted
4.3 deploy 6 bundle | content | rejects a bundle that is unknown or belongs to other content
4.3 upload 1 manifest | uploads | returns an error for %s and keeps nothing
4.3 upload 2, 3 layout | uploads | returns an error for %s and keeps nothing
4.3 upload 2 sources | uploads | accepts a bundle of %s (4.3, upload rule 2)
4.3 upload 4 rights | content | collaborators update, viewers only read, strangers and administrators cannot upload
4.3 upload 5 errors | uploads | returns an error for %s and keeps nothing
4.4 switched off | beside | are rejected when UserGroups is off
4.4 prefix | beside | are listed by name, with the closest match first for a prefix
4.4 two steps | directory | are sorted by closest match and created without an owner
4.5 1 filters, 3 bounds | paging | are filtered by content, window and data version; bounds are inclusive
4.5 3 window without ends | states | a window without an end ends now, and its bounds are inclusive (4.5, rule 3)
4.5 2 own content only | paging | are visible to the owner and administrators, but not to other publishers
4.5 4 windows of sessions | states | sessions are returned if they overlap the window, even without an end
4.5 5 limit | limits | accepts a limit of 1 to 500 only in %s
4.7 first and wait | content | tasks return their lines from first on, and reject values beyond
4.8 listing minimum role | limits | users below the minimum role of listings see only themselves
4.8 e-mail hiding | users | hide e-mail addresses from all but administrators, and the status from others
4.8 e-mail hiding, remote | directory | hide their e-mail addresses where the server does, in tickets too
4.8 order, remote | directory | equally close matches are sorted by first name, last name, username, e-mail (4.8)
4.8 createPushUser 1, 2 | users | needs no key but a password, and becomes an administrator
4.8 createPushUser 3 | directory | a new account under %s requires a unique id
4.8 default role | limits | a new user has the default role unless one is given
4.8 user_must_set_password | users | the password set at the first sign-in stays the password
4.8 updateUser 1 provider | directory | keep the name and fields that the directory gives them
4.8 updateUser 1 setting | users | users cannot edit themselves when only administrators may edit
4.8 updateUser 2 roles | users | updates return the modifiable fields, and follow the rules of roles
4.8 updateUser 3 e-mail | confirmation | with a mail server, sign-in requires confirming the address by the mailed link
5.1 keys | beside | a key is shown once, and stops working when revoked
5.2 created and revoked | beside | a key is shown once, and stops working when revoked
5.4 without a valid key | every-operation | returns 401 and code 24 with an invalid key
5.5 first user | users | of simultaneous requests exactly one creates the first user
5.6 by role | every-operation | returns 403 and code 22 to the role %s
5.6 by rights | rights-matrix | form %i is allowed as the table says
7 APIError | every-operation | accepts administrators, and returns errors as APIErrors
9.7 deprecation | content | deprecated experimental paths name their replacement
`;

/** The rows of section 8. */
export const LIMITS = `
limit | limits | accepts a limit of 1 to 500 only in %s
limit, remote | directory | requires a publisher, a prefix, and a limit of 1 to 500
limit, default | limits | a page has twenty records by default
page_size | limits | requires page_size of 1 to 500 and a positive page_number for %s
page_number | limits | requires page_size of 1 to 500 and a positive page_number for %s
getTask wait | content | tasks return their lines from first on, and reject values beyond
getTask first | content | tasks return their lines from first on, and reject values beyond
content_guid filter | limits | a content filter accepts forty GUIDs
Schedule interval | older-paths | rejects an interval out of bounds with error %i
Permissions upgrade request | access-requests | a declined request blocks another for 24 hours; only publishers become collaborators
token claim window | sign-in/tokens | expires after one hour with code 29, and is deleted an hour later
Tag name | tags | a tag needs a name (78) of up to 255 characters (77), unique among siblings (81)
Password | limits | password of six characters
Content name | limits | content, case %#
Content title | limits | content, case %#
Content description | limits | content, case %#
Group name | limits | group name, case %#
`;

/** Rows of section 8 without an operation: docs/reference/error-codes.md names them. */
export const LIMITS_WITHOUT_OPERATION = ['Shiny session end time'];

/** Error codes that operations of the contract, or beside it, can return. */
export const CODES = `
2 | every-operation | unknown paths and methods return 404 and code 2
3 | content | getContent returns 401, 403, 404 and 200 as its four rules say
4 | content | getContent returns 401, 403, 404 and 200 as its four rules say
5 | content | returns an error for %s
6 | users | returns an error for %s
7 | users | returns an error for %s
8 | users | rejects a taken name regardless of case
9 | beside | only the owner or an administrator changes members; members may leave
11 | paging | reject %s
12 | content | returns an error for %s
13 | content | returns an error for %s
14 | beside | reject the name %s
15 | beside | belong to their creator; names are unique regardless of case
16 | beside | only the owner or an administrator changes members; members may leave
17 | beside | only the owner or an administrator changes members; members may leave
18 | beside | collaborators read, change and delete permissions
19 | content | getContent returns 401, 403, 404 and 200 as its four rules say
20 | beside | only the owner or an administrator changes members; members may leave
21 | beside | only the owner or an administrator changes members; members may leave
22 | content | collaborators update, viewers only read, strangers and administrators cannot upload
23 | users | updates return the modifiable fields, and follow the rules of roles
24 | every-operation | returns 401 and code 24 without a key
25 | users | returns an error for %s
26 | content | names are unique for each owner, in the GA form too
28 | content | deploys the given bundle, else the active one, else the newest, else error 28
29 | sign-in/tokens | expires after one hour with code 29, and is deleted an hour later
30 | beside | a wrong password and an unknown name get the same response
31 | accounts/passwords | is rejected with error 31 when the provider is not password
32 | other-clients | returns pages of lists with their total
33 | beside | collaborators read, change and delete permissions
34 | content | collaborators update, viewers only read, strangers and administrators cannot upload
36 | directory | keep the name and fields that the directory gives them
37 | older-paths | sets, reads, changes and removes a schedule through the variant
38 | uploads | returns an error for %s and keeps nothing
39 | content | content without an engine fails by name, and the active bundle stays
40 | confirmation | with a mail server, sign-in requires confirming the address by the mailed link
41 | users | needs no key but a password, and becomes an administrator
42 | confirmation | with a mail server, sign-in requires confirming the address by the mailed link
43 | accounts/passwords | rejects cross-site requests, and returns error 43 without a mail server
44 | clients/mail | an administrator gets a test mail, or the reason why there is none
45 | content | returns an error for %s
46 | directory | keep the name and fields that the directory gives them
48 | content | the content type stays as the first deploy set it
49 | users | a locked user gets 403 and code 50 immediately, and keeps their times
50 | users | a locked user gets 403 and code 50 immediately, and keeps their times
51 | beside | lead to the content, and conflict with paths in use
52 | beside | cannot be %s
55 | content | rejects run_as for static content
56 | content | rejects run_as %s
57 | content | rejects run_as %s
58 | states | content runs only as accounts of the configured group
60 | sign-in/oauth2 | accepts only verified addresses of the allowed domains, and returns error 60 to others
61 | users | the last administrator cannot be downgraded
62 | beside | a key is shown once, and stops working when revoked
63 | directory | returns error 63 if the directory fails
64 | users | the licence limits the number of unlocked users
66 | clients/owner-and-lock | rejects a transfer by others, or to viewers, locked or unknown accounts
67 | variants | promoting copies values and rendering of another variant, with its error codes
68 | variants | promoting copies values and rendering of another variant, with its error codes
69 | variants | a deploy renders the variants again
70 | variants | promoting copies values and rendering of another variant, with its error codes
71 | variants | promoting copies values and rendering of another variant, with its error codes
73 | variants | visitors render private values only if the owner allows it
74 | variants | names are unique, and the default variant keeps its name
75 | content | deletes a bundle unless it is the active one
76 | directory | are created once: taken name 8, invalid name 7, taken or blank unique id 76 and 129
77 | tags | a tag needs a name (78) of up to 255 characters (77), unique among siblings (81)
78 | tags | a tag needs a name (78) of up to 255 characters (77), unique among siblings (81)
79 | tags | collaborators tag content, but not with categories (79); viewers see the tags
81 | tags | a tag needs a name (78) of up to 255 characters (77), unique among siblings (81)
84 | sign-in/tokens | is listed among the person’s keys and revocable; claiming again is error 84
85 | sign-in/tokens | rejects a known key or name with code 85, claimed or not
86 | sign-in/rejected-tokens | returns code 86 for %s
88 | tags | administrators build a tree of tags, which everyone reads; circles return error 88
89 | clients/mail | an administrator gets a test mail, or the reason why there is none
83 | today-paths | too many visits return error 83
72 | older-paths | sets, reads, changes and removes a schedule through the variant
82 | content | rejects a bundle that is unknown or belongs to other content
87 | beside | rejects %s
90 | sign-in/proxied | returns error 90 without an account when registration is turned off
91 | sign-in/proxied | an invalid name returns error 91, and signing out redirects to the proxy
92 | beside | a session requires the XSRF header for changes
93 | report-mail | a quiet report is not mailed, and a private variant has no other recipients
94 | access-requests | a declined request blocks another for 24 hours; only publishers become collaborators
95 | directory | a new account under %s requires a unique id
96 | accounts/passwords | requires the current password (error 96) and ends all other sessions
98 | sign-in/oauth2 | rejects a response with another %s with error 98
99 | sign-in/oauth2 | rejects a changed or expired attempt cookie with error 99
100 | states | a bundle that is being deployed cannot be deleted
101 | accounts/passwords | the password link sets a password once
102 | older-paths | sets, reads, changes and removes a schedule through the variant
54 | older-paths | runas accepts the server’s account, and rejects the current user and root
104 | uploads | returns an error for %s and keeps nothing
106 | beside | are set and removed by name, and their values are never returned
108 | beside | are set and removed by name, and their values are never returned
110 | content | the content type stays as the first deploy set it
111 | content | the content type stays as the first deploy set it
112 | users | returns an error for %s
113 | content | returns an error for %s
114 | content | returns an error for %s
115 | users | filter by role and status
117 | content | returns an error for %s
118 | content | AccessTypes forbids an access type
119 | directory | accounts and groups are created by ticket or by name, depending on the provider
120 | directory | accounts and groups are created by ticket or by name, depending on the provider
121 | beside | rejects %s
122 | content | returns an error for %s
123 | content | returns an error for %s
124 | access-requests | requires an administrator with an e-mail address, and mails all of them
125 | uploads | returns an error for %s and keeps nothing
126 | states | a Content-Length that does not match the body returns error 126
127 | directory | rejects an invalid ticket, or one of the other kind, with error 127
128 | users | returns an error for %s
129 | directory | a new account under %s requires a unique id
130 | directory | are sorted by closest match and created without an owner
131 | directory | are sorted by closest match and created without an owner
132 | directory | accounts and groups are created by ticket or by name, depending on the provider
133 | variants | promoting copies values and rendering of another variant, with its error codes
134 | states | an upload that cannot be written returns error 134 and leaves no bundle
135 | uploads | returns an error for %s and keeps nothing
136 | paging | reject %s
137 | older-paths | rejects an interval out of bounds with error %i
138 | older-paths | rejects an interval out of bounds with error %i
139 | older-paths | rejects an interval out of bounds with error %i
140 | older-paths | rejects an interval without one end with error 140
141 | content | tasks return their lines from first on, and reject values beyond
142 | git-deploys | codes 142 to 144: rejects a second connection, use without one, and uploads
143 | git-deploys | codes 142 to 144: rejects a second connection, use without one, and uploads
144 | states | content managed by Git rejects uploads, and deploys only when Git is enabled
145 | states | content managed by Git rejects uploads, and deploys only when Git is enabled
`;

export interface Cell {
  readonly row: string;
  readonly file: string;
  readonly name: string;
}

export function cellsOf(table: string): Cell[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [row = '', file = '', ...name] = line.split(' | ');
      return { row: row.trim(), file: file.trim(), name: name.join(' | ').trim() };
    });
}
