// What the bot counts, for /metrics.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  readonly commands: Counter;
  readonly acks: Histogram;
  readonly edits: Counter<'result'>;
  readonly deploys: Counter<'state'>;
}

/** @param live asked at every scrape. */
export function createMetrics(live: () => { deploys: number; waiting: number }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'pressroom_slack_live_deploys',
    help: 'Deploys that channels watch just now',
    registers,
    collect() {
      this.set(live().deploys);
    },
  });
  new Gauge({
    name: 'pressroom_slack_waiting',
    help: 'Commands and clicks that are acknowledged and not done',
    registers,
    collect() {
      this.set(live().waiting);
    },
  });
  return {
    registry,
    commands: new Counter({ name: 'pressroom_slack_commands_total', help: 'Commands answered', registers }),
    acks: new Histogram({
      name: 'pressroom_slack_ack_seconds',
      help: 'Time until Slack was answered',
      buckets: [0.005, 0.02, 0.1, 0.5, 1, 3],
      registers,
    }),
    edits: new Counter({
      name: 'pressroom_slack_edits_total',
      help: 'Edits of messages',
      labelNames: ['result'],
      registers,
    }),
    deploys: new Counter({
      name: 'pressroom_slack_deploys_total',
      help: 'Deploys told to their end',
      labelNames: ['state'],
      registers,
    }),
  };
}
