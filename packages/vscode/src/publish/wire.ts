// Connects the parts of publishing.
import { createPlanner, type Planner } from './plan/plan.ts';
import { createPreflight } from './plan/preflight.ts';
import { createPublisher, type Publisher, type PublisherParts } from './publisher.ts';
import { createPerformer } from './run/perform.ts';

export type PublishingParts = Omit<PublisherParts, 'planner' | 'preflight' | 'performer'> &
  Parameters<typeof createPerformer>[0] &
  Parameters<typeof createPreflight>[0];

export function createPublishing(parts: PublishingParts): { publisher: Publisher; planner: Planner } {
  const preflight = createPreflight(parts);
  const planner = createPlanner({ ...parts, preflight });
  const performer = createPerformer(parts);
  return { planner, publisher: createPublisher({ ...parts, planner, preflight, performer }) };
}
