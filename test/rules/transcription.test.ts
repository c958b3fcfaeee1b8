// The contract's tables, typed a second time by hand. The declarations in code must match them.
import { APP_MODES, type Endpoint, ERRORS, operations } from '@pressroom/api/contract';
import { expect, test } from 'vitest';

/**
 * Columns: operation, method and path, error statuses, who may call it, provider gate, paging (contract, section 4).
 */
const ENDPOINTS = `
getAuditLogs        GET    /v1/audit_logs                                    400,401,403,404     administrator  -                                   keyset
getBundle           GET    /v1/experimental/bundles/{id}                     400,401,403,404     user           -                                   -
deleteBundle        DELETE /v1/experimental/bundles/{id}                     400,401,403,404     user           -                                   -
downloadBundle      GET    /v1/experimental/bundles/{id}/download            400,401,403,404     user           -                                   -
getBundles          GET    /v1/experimental/content/{guid}/bundles           400,401,403,404     user           -                                   offset
createContent       POST   /v1/experimental/content                          400,401,403,404     publisher      -                                   -
getContent          GET    /v1/experimental/content/{guid}                   400,401,404         user           -                                   -
updateContent       POST   /v1/experimental/content/{guid}                   400,401,403,404     publisher      -                                   -
deleteContent       DELETE /v1/experimental/content/{guid}                   400,401,404         user           -                                   -
deployContentBundle POST   /v1/experimental/content/{guid}/deploy            400,401,404         user           -                                   -
uploadContentBundle POST   /v1/experimental/content/{guid}/upload            400,401,404         publisher      -                                   -
getGroups           GET    /v1/groups                                        400,401             user           -                                   offset
createRemoteGroup   PUT    /v1/groups                                        400,401,403,404,409 publisher      119:ldap                            -
createGroup         POST   /v1/groups                                        400,401,403,404,409 publisher      120:oauth2,pam,password,proxied,saml -
searchRemoteGroups  GET    /v1/groups/remote                                 400,401,403,404     publisher      132:ldap                            -
getGroupMembers     GET    /v1/groups/{group_guid}/members                   400,401,404         user           132:oauth2,pam,password,proxied,saml -
addGroupMember      POST   /v1/groups/{group_guid}/members                   400,401,403,404,409 user           132:oauth2,pam,password,proxied,saml -
removeGroupMember   DELETE /v1/groups/{group_guid}/members/{user_guid}       400,401,403,404     user           132:oauth2,pam,password,proxied,saml -
getGroup            GET    /v1/groups/{guid}                                 400,401,404         user           -                                   -
deleteGroup         DELETE /v1/groups/{guid}                                 400,401,403,404     user           -                                   -
getContentVisits    GET    /v1/instrumentation/content/visits                400,401,403         publisher      -                                   keyset
getShinyAppUsage    GET    /v1/instrumentation/shiny/usage                   400,401,403         publisher      -                                   keyset
getRInformation     GET    /v1/server_settings/r                             401,403             publisher      -                                   -
getTask             GET    /v1/experimental/tasks/{id}                       400,401,403,404     user           -                                   -
getUsers            GET    /v1/users                                         400,401,403,404     user           -                                   offset
createPullUser      PUT    /v1/users                                         400,401,403,404,409 publisher      119:ldap,oauth2                     -
createPushUser      POST   /v1/users                                         400,401,403,404,409 first-user     120:pam,password,proxied,saml       -
searchRemoteUsers   GET    /v1/users/remote                                  400,401,403,404     publisher      132:ldap,oauth2                     -
getUser             GET    /v1/users/{guid}                                  400,401,404         user           -                                   -
updateUser          PUT    /v1/users/{guid}                                  400,401,403,404,409 user           -                                   -
lockUser            POST   /v1/users/{guid}/lock                             400,401,403,404     administrator  -                                   -
`;

/** Response fields of each resource; `?` marks those that may be null (contract, section 2). */
const FIELDS: Record<string, string> = {
  getBundle: 'active content_guid created_time id py_version? r_version? size',
  getContent:
    'access_type app_mode bundle_id? connection_timeout? content_category created_time description guid has_parameters ' +
    'idle_timeout? init_timeout? last_deployed_time load_factor? max_conns_per_process? max_processes? min_processes? ' +
    'name needs_config owner_guid py_version? r_version? read_timeout? role run_as? run_as_current_user title? url',
  deployContentBundle: 'task_id',
  uploadContentBundle: 'bundle_id size',
  getGroup: 'guid name owner_guid?',
  getTask: 'code error finished id last output',
  getUser:
    'active_time? confirmed created_time email first_name guid last_name locked updated_time user_role username',
  updateUser: 'email first_name last_name updated_time user_role username',
  getAuditLogs: 'paging results',
  getUsers: 'current_page results total',
  getRInformation: 'installations',
};
/** Fields of the items of a page. */
const ITEMS: Record<string, string> = {
  getAuditLogs: 'action event_description id time user_description user_id',
  // `path` is an addition to the contract.
  getContentVisits: 'bundle_id content_guid data_version path? rendering_id? time user_guid variant_key?',
  getShinyAppUsage: 'content_guid data_version ended? started user_guid',
  searchRemoteGroups: 'guid? name temp_ticket',
  searchRemoteUsers:
    'active_time? confirmed created_time email first_name guid? last_name locked temp_ticket updated_time user_role username',
};
/** Columns: operation, place, field, minimum, maximum, default (contract, section 8). */
const LIMITS: [keyof typeof operations, 'query' | 'body', string, number, number, number | undefined][] = [
  ['getAuditLogs', 'query', 'limit', 1, 500, 20],
  ['getContentVisits', 'query', 'limit', 1, 500, 20],
  ['getShinyAppUsage', 'query', 'limit', 1, 500, 20],
  ['searchRemoteUsers', 'query', 'limit', 1, 500, 20],
  ['searchRemoteGroups', 'query', 'limit', 1, 500, 20],
  ['getBundles', 'query', 'page_size', 1, 500, 20],
  ['getGroups', 'query', 'page_size', 1, 500, 20],
  ['getUsers', 'query', 'page_size', 1, 500, 20],
  ['getTask', 'query', 'wait', 0, 20, 0],
  ['createContent', 'body', 'title', 3, 1024, undefined],
  ['createContent', 'body', 'load_factor', 0, 1, undefined],
];

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: number;
}
const all = operations as unknown as Record<string, Endpoint>;
const rows = ENDPOINTS.trim()
  .split('\n')
  .map((line) => line.split(/\s+/) as [string, string, string, string, string, string, string]);

test('the contract has exactly these 31 operations', () => {
  const declared = Object.values(all).filter((operation) => operation.origin === 'contract');
  expect(declared.map((operation) => operation.operationId).sort()).toEqual(rows.map(([id]) => id).sort());
  expect(rows).toHaveLength(31);
});

test.each(rows)('%s is %s %s', (id, method, path, errors, access, gate, paging) => {
  const operation = all[id]!;
  const providers = operation.providers;
  expect({
    method: operation.method,
    path: operation.path,
    errors: operation.errors.join(','),
    access: operation.access,
    gate: providers ? `${providers.otherwise}:${[...providers.only].sort().join(',')}` : '-',
    paging: operation.paging ?? '-',
    experimental: operation.experimental === true,
  }).toEqual({ method, path, errors, access, gate, paging, experimental: path.includes('/experimental/') });
});

test.each(Object.entries(FIELDS))('%s returns the fields of its resource', (id, fields) => {
  expect(fieldsOf(all[id]!.response as Schema)).toBe(fields);
});

test.each(Object.entries(ITEMS))('%s returns items with the fields of their resource', (id, fields) => {
  expect(fieldsOf((all[id]!.response as Schema).properties!.results!.items!)).toBe(fields);
});

test.each(LIMITS)('%s keeps the limit of %s %s', (id, place, field, least, most, byDefault) => {
  const schema = (all[id]![place] as unknown as Schema).properties![field]!;
  expect([schema.minimum ?? schema.minLength, schema.maximum ?? schema.maxLength, schema.default]).toEqual([
    least,
    most,
    byDefault,
  ]);
});

test('there are 145 error codes with the statuses of the contract', () => {
  const statuses = Object.groupBy(Object.entries(ERRORS), ([, error]) => String(error.status));
  const counts = Object.fromEntries(
    Object.entries(statuses).map(([status, codes]) => [status, codes!.length]),
  );
  expect(counts).toEqual({ 400: 93, 401: 5, 403: 25, 404: 7, 409: 14, 500: 1 });
  expect(Object.keys(ERRORS).map(Number)).toEqual(Array.from({ length: 145 }, (_, index) => index + 1));
});

function fieldsOf(schema: Schema): string {
  return Object.entries(schema.properties!)
    .map(([name, field]) => (Array.isArray(field.type) && field.type.includes('null') ? `${name}?` : name))
    .sort()
    .join(' ');
}

test('app_mode has exactly the values of the contract (section 2)', () => {
  expect([...APP_MODES].toSorted()).toEqual(
    'api jupyter-static rmd-shiny rmd-static shiny static tensorflow-saved-model unknown'.split(' '),
  );
});
