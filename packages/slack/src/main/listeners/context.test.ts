// Covers who counts as somebody of another organization.
import { expect, test } from 'vitest';
import { invokerOf } from './context.ts';
import { placeOf } from './events.ts';

/** In Enterprise Grid, `team_id` of a person is that of the organization, or of one of its workspaces. */
const pressedBy = (team_id: string) =>
  invokerOf({
    team: { id: 'T1', domain: 'one', enterprise_id: 'E1' },
    user: { id: 'U1', name: 'ada', team_id },
  } as never).isOutsider;

const writtenBy = (user_team: string) =>
  placeOf(
    {
      team_id: 'T1',
      authorizations: [{ team_id: 'T1', enterprise_id: 'E1' }],
      is_ext_shared_channel: true,
    },
    { user_team },
  ).isOutsider;

test.each([pressedBy, writtenBy])('people of the organization of the workspace are no outsiders', (by) => {
  expect(['T1', 'E1', 'T2', 'E2'].map(by)).toEqual([false, false, true, true]);
});

test('without an organization, nobody is of it', () => {
  const user = { id: 'U1', name: 'ada', team_id: '' };
  expect(invokerOf({ team: { id: 'T1', domain: 'one' }, user } as never).isOutsider).toBe(true);
  const body = { team_id: 'T1', authorizations: [{ team_id: 'T1', enterprise_id: null }] };
  expect(placeOf({ ...body, is_ext_shared_channel: true }, {}).isOutsider).toBe(true);
  expect(placeOf({ team_id: 'T1', is_ext_shared_channel: true }, {}).isOutsider).toBe(true);
});
