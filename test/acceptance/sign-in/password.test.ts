// Covers password authentication, with the suite for all providers.
import { KNOWN_PEOPLE } from '@pressroom/testkit';
import { describeProvider } from './conformance.ts';
import { formRig } from './form-rig.ts';

describeProvider('password', {
  start: async () => formRig({}),
  firstUser: 'made over the API',
  failure: 30,
  byPassword: true,
  profile: 'kept here',
  creation: 'push',
  pushed: (who) => ({ email: KNOWN_PEOPLE[who].email, password: KNOWN_PEOPLE[who].password }),
  groups: 'kept here',
  remoteGroups: false,
});
