// Covers the metric of the container engine; test/acceptance/monitoring.test.ts covers those of a running server.
import { expect, test } from 'vitest';
import { createMetrics, type Measured } from './metrics.ts';

const applications = { isClosed: false };

test('says whether the container engine responds, and nothing without one', async () => {
  let responds = true;
  const containers = { responds: async () => responds };
  const measured = { storage: { connections: () => null }, disk: { room: null }, applications } as unknown;
  const shown = (given: Measured['containers']) => {
    const { registry } = createMetrics({ ...(measured as Measured), containers: given, receivers: [] });
    return registry.getSingleMetricAsString('pressroom_container_engine_up');
  };
  expect(await shown(containers)).toMatch(/^pressroom_container_engine_up 1$/m);
  responds = false;
  expect(await shown(containers)).toMatch(/^pressroom_container_engine_up 0$/m);
  await expect(async () => shown(null)).rejects.toThrow();
});
