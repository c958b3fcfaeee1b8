// With PRESSROOM_TEST_URL: skips tests that need a server of their own.
import { elsewhere } from '@pressroom/testkit';
import { beforeEach } from 'vitest';

beforeEach(({ skip }) => {
  elsewhere.skip = skip;
});
