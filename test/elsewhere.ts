// Where PRESSROOM_TEST_URL names a server: tests that need one of their own are skipped.
import { elsewhere } from '@pressroom/testkit';
import { beforeEach } from 'vitest';

beforeEach(({ skip }) => {
  elsewhere.skip = skip;
});
