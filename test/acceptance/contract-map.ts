// Maps each row of the contract to its test: `row | file | part of the test's name`.

/** The 31 operations (section 4). */
export const OPERATIONS = `
getAuditLogs | paging | is read to the end in either direction, each row once
getBundle | rights-matrix | form %i is for whom the table says
deleteBundle | content | the active bundle cannot be deleted, another can
downloadBundle | publish | a page is created, uploaded, deployed, read, downloaded and deleted
getBundles | limits | page_size is 1 to 500 and page_number at least 1 for %s
createContent | content | a new item has the defaults, and a get answers the same
getContent | content | the four cases of getContent
updateContent | content | updates change what is given
deleteContent | states | deleted content takes its bundles, tasks and everything on disk
deployContentBundle | content | without a bundle: the active one, else the newest, else error 28
uploadContentBundle | content | a checksum may come as %s, and is answered
getGroups | beside | are listed by name, and nearest first for a prefix
createRemoteGroup | directory | are found nearest first and created without an owner
createGroup | beside | belong to who made them; names are unique in any case
searchRemoteGroups | directory | are found nearest first and created without an owner
getGroupMembers | limits | addresses of group members are hidden where the server hides them
addGroupMember | beside | take and lose members by their owner or an administrator
removeGroupMember | beside | take and lose members by their owner or an administrator
getGroup | beside | belong to who made them; names are unique in any case
deleteGroup | content | a group gives its members the permission, and takes it with it
getContentVisits | paging | are recorded for pages, signed in or not
getShinyAppUsage | states | sessions are returned where they touch the window
getRInformation | states | R installations are a list of versions
getTask | content | tasks answer lines from first on, and refuse what lies beyond
getUsers | users | are sorted by first name, last name, username and e-mail, either way
createPullUser | directory | are found nearest first, without a guid until they have an account
createPushUser | users | a created user is what a get answers
searchRemoteUsers | directory | are found nearest first, without a guid until they have an account
getUser | users | a created user is what a get answers
updateUser | users | updates answer the modifiable fields, and keep to the rules of roles
lockUser | users | a locked user gets 403 with code 50 at once, and keeps its times
`;

/** The numbered rules, by section and number, and the rules in notes of operations. */
export const RULES = `
1 keyset 1 next | paging | answers pagers as the table says, first to last and back
1 keyset 2 cursors | paging | is read to the end in either direction, each row once
1 keyset 3 best effort | paging | keeps its pages while entries are added
1 offset 1 best effort | users | are cut into pages that end with an empty one
1 offset 2 page_number | limits | page_size is 1 to 500 and page_number at least 1 for %s
1 offset 3 page_size | limits | page_size is 1 to 500 and page_number at least 1 for %s
1 offset 4 iterating | users | are cut into pages that end with an empty one
2 read-only fields | content | read-only and unknown fields are passed over
2 run_as read-only | content | run_as is read-only in the form of the contract
2 size of bundles | states | a bundle whose file is gone has the size zero
2 owner of groups | directory | made before the directory have no owner any more
2 confirmed, remote | directory | are confirmed, also whose account was made under passwords
2 guid, remote | directory | have a guid where the directory calls them otherwise
2 versions of bundles | states | versions of a bundle are for publishers and administrators
3 type assigned and kept | content | what content is stays as the first deploy made it
3 type kept by updates | content | an update cannot change what deployed content is
3 new active bundle | content | without a bundle: the active one, else the newest, else error 28
3 failed work | content | content without an engine fails by name, and the old bundle stays active
3 lock and unlock | users | a locked user gets 403 with code 50 at once, and keeps its times
3 account status | users | filter by role and status: | is OR, repetition is AND
3 confirmation | confirmation | nobody signs in before the address is confirmed
4.1 administrators only | every-operation | as %s: 403, code 22
4.3 getContent 1 to 4 | content | the four cases of getContent
4.3 role computed | rights-matrix | getContent computes the role of who asks
4.3 deploy 1 task | content | tasks answer lines from first on, and refuse what lies beyond
4.3 deploy 2 to 4 engines | content | content without an engine fails by name, and the old bundle stays active
4.3 deploy 5 static | publish | a page is created, uploaded, deployed, read, downloaded and deleted
4.3 deploy 6 bundle | content | a bundle of another content, or none, is refused
4.3 upload 1 manifest | content | %s is refused and leaves nothing
4.3 upload 2, 3 layout | content | %s is refused and leaves nothing
4.3 upload 2 sources | content | a bundle of %s is taken
4.3 upload 4 rights | content | collaborators change, viewers look, strangers and administrators neither upload
4.3 upload 5 errors | content | %s is refused and leaves nothing
4.4 switched off | beside | switched off are refused
4.4 prefix | beside | are listed by name, and nearest first for a prefix
4.4 two steps | directory | are found nearest first and created without an owner
4.5 1 filters, 3 bounds | paging | are filtered by content, window and data version; bounds are inclusive
4.5 3 window without ends | states | a window ends now where nothing is said
4.5 2 own content only | paging | of others are not for a publisher, but for an administrator
4.5 4 windows of sessions | states | sessions are returned where they touch the window
4.5 5 limit | limits | limit is 1 to 500 in %s
4.7 first and wait | content | tasks answer lines from first on, and refuse what lies beyond
4.8 listing minimum role | limits | who is below the minimum role of listings sees only themselves
4.8 e-mail hiding | users | hide addresses from all but administrators
4.8 e-mail hiding, remote | directory | hide their addresses where the server does, in tickets too
4.8 order, remote | directory | equally near are sorted by first name
4.8 createPushUser 1, 2 | users | needs no key, must have a password, and is an administrator
4.8 createPushUser 3 | directory | under %s an account needs a unique id of its own
4.8 default role | limits | a new user has the default role unless one is given
4.8 user_must_set_password | users | a password set at first sign-in is the password from then on
4.8 updateUser 1 provider | directory | keep what the directory says of them, and their name
4.8 updateUser 1 setting | users | where only administrators edit, others cannot edit themselves
4.8 updateUser 2 roles | users | updates answer the modifiable fields, and keep to the rules of roles
4.8 updateUser 3 e-mail | confirmation | nobody signs in before the address is confirmed
5.1 keys | beside | a key is shown once, works, and is gone when revoked
5.2 created and revoked | beside | a key is shown once, works, and is gone when revoked
5.4 without a valid key | every-operation | with a key that is not valid: 401, code 24
5.5 first user | users | is one, however many ask at the same time
5.6 by role | every-operation | as %s: 403, code 22
5.6 by rights | rights-matrix | form %i is for whom the table says
7 APIError | every-operation | as administrator: let in, and errors are APIErrors
9.7 deprecation | content | deprecated experimental paths name their replacement
`;

/** The rows of section 8. */
export const LIMITS = `
limit | limits | limit is 1 to 500 in %s
limit, remote | directory | need a prefix and a limit of 1 to 500, and a publisher
limit, default | limits | twenty records make a page when nothing else is asked for
page_size | limits | page_size is 1 to 500 and page_number at least 1 for %s
page_number | limits | page_size is 1 to 500 and page_number at least 1 for %s
getTask wait | content | tasks answer lines from first on, and refuse what lies beyond
getTask first | content | tasks answer lines from first on, and refuse what lies beyond
content_guid filter | limits | forty GUIDs fit into a content filter
Schedule interval | older-paths | with an interval that is out of bounds are error %i
Permissions upgrade request | access-requests | is made once in 24 hours
token claim window | sign-in/tokens | has one hour to be claimed: code 29 afterwards
Tag name | tags | a tag needs a name (78) of at most 255 characters
Password | limits | a password of six characters
Content name | limits | content, case %#
Content title | limits | content, case %#
Content description | limits | content, case %#
Group name | limits | a group name, case %#
`;

/** Rows of section 8 without an operation: docs/reference/error-codes.md names them. */
export const LIMITS_WITHOUT_OPERATION = ['Shiny session end time'];

/** Error codes that operations of the contract, or beside it, can return. */
export const CODES = `
2 | every-operation | unknown paths and methods: 404, code 2
3 | content | the four cases of getContent
4 | content | the four cases of getContent
5 | content | %s is refused
6 | users | %s is refused
7 | users | %s is refused
8 | users | a taken name is refused in any case
9 | beside | take and lose members by their owner or an administrator
11 | paging | refuse %s
12 | content | %s is refused
13 | content | %s is refused
14 | beside | cannot be called %s
15 | beside | belong to who made them; names are unique in any case
16 | beside | take and lose members by their owner or an administrator
17 | beside | take and lose members by their owner or an administrator
18 | beside | are read, changed and taken away by collaborators
19 | content | the four cases of getContent
20 | beside | take and lose members by their owner or an administrator
21 | beside | take and lose members by their owner or an administrator
22 | content | collaborators change, viewers look
23 | users | updates answer the modifiable fields, and keep to the rules of roles
24 | every-operation | without a key: 401, code 24
25 | users | %s is refused
26 | content | names are unique for an owner, in the GA form too
28 | content | without a bundle: the active one, else the newest, else error 28
29 | sign-in/tokens | has one hour to be claimed: code 29 afterwards
30 | beside | a wrong password and an unknown name answer alike
31 | accounts/passwords | is prohibited where passwords are kept elsewhere: error 31
32 | other-clients | lists come in pages that say how many there are in all
33 | beside | are read, changed and taken away by collaborators
34 | content | collaborators change, viewers look
36 | directory | keep what the directory says of them, and their name
37 | older-paths | a schedule is set, read, changed and removed through the variant
38 | content | %s is refused and leaves nothing
39 | content | content without an engine fails by name, and the old bundle stays active
40 | confirmation | nobody signs in before the address is confirmed
41 | users | needs no key, must have a password, and is an administrator
42 | confirmation | nobody signs in before the address is confirmed
43 | accounts/passwords | is not asked for by other sites, nor without a mail server: error 43
45 | content | %s is refused
46 | directory | keep what the directory says of them, and their name
48 | content | what content is stays as the first deploy made it
49 | users | a locked user gets 403 with code 50 at once, and keeps its times
50 | users | a locked user gets 403 with code 50 at once, and keeps its times
51 | beside | lead to content, and conflict with those in use
52 | beside | cannot be %s
55 | content | static content cannot run as an account
56 | content | running as %s is refused
57 | content | running as %s is refused
58 | states | content runs only as accounts of the configured group
60 | sign-in/oauth2 | lets only verified addresses of the allowed domains in
61 | users | the only administrator stays one
62 | beside | a key is shown once, works, and is gone when revoked
63 | directory | a directory that fails is error 63
64 | users | the licence limits unlocked users, and unlocking
66 | clients/owner-and-lock | is not changed by others, nor to somebody who cannot publish
67 | variants | takes the values of another one, and its rendering, as the codes say
68 | variants | takes the values of another one, and its rendering, as the codes say
69 | variants | is rendered again from what is deployed
70 | variants | takes the values of another one, and its rendering, as the codes say
71 | variants | takes the values of another one, and its rendering, as the codes say
73 | variants | renders with own values where the owner allows it, and nobody else sees it
74 | variants | has a name of its own, which is not that of the default one
75 | content | the active bundle cannot be deleted, another can
76 | directory | are created once
77 | tags | a tag needs a name
78 | tags | a tag needs a name
79 | tags | collaborators give tags to content
81 | tags | a tag needs a name
84 | sign-in/tokens | claiming it again is error 84
85 | sign-in/tokens | with a key or a name that is there already
86 | sign-in/tokens | with %s is refused with code 86
88 | tags | make a tree below categories
83 | today-paths | more visits than a client could want are error 83
72 | older-paths | a schedule is set, read, changed and removed through the variant
82 | content | a bundle of another content, or none, is refused
87 | beside | %s is refused
90 | sign-in/proxied | whoever has no account is told so
91 | sign-in/proxied | a name that is not permitted is error 91
92 | beside | a session needs the XSRF header for what changes something
93 | report-mail | a report that wants no mail is not mailed, and its private variants only to who made them
94 | access-requests | is made once in 24 hours
95 | directory | under %s an account needs a unique id of its own
96 | accounts/passwords | wants the one so far: error 96, and ends all other sessions
98 | sign-in/oauth2 | refuses an answer with another %s
99 | sign-in/oauth2 | refuses an answer to an attempt whose cookie was changed or is old
100 | states | a bundle that is being deployed cannot be deleted
101 | accounts/passwords | gets its password from whoever has the link, once
102 | older-paths | a schedule is set, read, changed and removed through the variant
54 | older-paths | the account that content runs as is that of the server or a fixed one
104 | content | %s is refused and leaves nothing
106 | beside | are set and removed by name, and their values never leave
108 | beside | are set and removed by name, and their values never leave
110 | content | what content is stays as the first deploy made it
111 | content | what content is stays as the first deploy made it
112 | users | %s is refused
113 | content | %s is refused
114 | content | %s is refused
115 | users | filter by role and status
117 | content | %s is refused
118 | content | a setting forbids an access type
119 | directory | accounts and groups are made the way of the provider
120 | directory | accounts and groups are made the way of the provider
121 | beside | %s is refused
122 | content | %s is refused
123 | content | %s is refused
124 | access-requests | needs an administrator with an e-mail address
125 | content | %s is refused and leaves nothing
126 | states | a Content-Length that the bytes do not fit is error 126
127 | directory | a ticket that this server did not make is error 127
128 | users | %s is refused
129 | directory | under %s an account needs a unique id of its own
130 | directory | are found nearest first and created without an owner
131 | directory | are found nearest first and created without an owner
132 | directory | accounts and groups are made the way of the provider
133 | variants | takes the values of another one, and its rendering, as the codes say
134 | states | an upload that cannot be written is error 134, and leaves nothing
135 | content | %s is refused and leaves nothing
136 | paging | refuse %s
137 | older-paths | with an interval that is out of bounds are error %i
138 | older-paths | with an interval that is out of bounds are error %i
139 | older-paths | with an interval that is out of bounds are error %i
140 | older-paths | with half an interval are error 140
141 | content | tasks answer lines from first on, and refuse what lies beyond
142 | git | codes 142 to 144: connected once, changed and deployed only then, and not uploaded
143 | git | codes 142 to 144: connected once, changed and deployed only then, and not uploaded
144 | states | content managed by git takes no upload
145 | states | content managed by git takes no upload
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
