// Covers which processes a visit gets.
import { expect, test } from 'vitest';
import { type ApplicationVisitsParts, createApplicationVisits } from './application-visits.ts';

test('a visitor who sends the body late gets the processes of then', async () => {
  const pools = [{ of: 'the arrival' }, { of: 'the end of the body' }];
  const applications = { poolOf: () => pools.shift() };
  const parts = { applications, services: { storage: { db: null }, config: {} } };
  const { visitOf } = createApplicationVisits(parts as unknown as ApplicationVisitsParts);
  const served = {
    content: { guid: 'g', bundle_id: 1, visitor_role: null },
    engine: {},
    draft: null,
    isCanary: false,
  };
  const visit = await visitOf(served as never, {} as never, {} as never, null);
  expect(visit.pool).toEqual({ of: 'the arrival' });
  expect(visit.pool).toEqual({ of: 'the end of the body' });
});
