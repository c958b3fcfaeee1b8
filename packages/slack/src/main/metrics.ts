// Metrics of the bot, for /metrics.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  readonly commands: Counter;
  readonly refused: Counter;
  readonly acks: Histogram;
  readonly edits: Counter<'result'>;
  readonly deploys: Counter<'state'>;
}

/** @param live read at each scrape */
export function createMetrics(live: () => { deploys: number; waiting: number }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'pressroom_slack_live_deploys',
    help: 'Deploys that are shown live in channels',
    registers,
    collect() {
      this.set(live().deploys);
    },
  });
  new Gauge({
    name: 'pressroom_slack_waiting',
    help: 'Commands and clicks that are acknowledged and not finished',
    registers,
    collect() {
      this.set(live().waiting);
    },
  });
  return {
    registry,
    commands: new Counter({ name: 'pressroom_slack_commands_total', help: 'Commands handled', registers }),
    refused: new Counter({
      name: 'pressroom_slack_refused_total',
      help: 'Commands refused with busy, because too much waited',
      registers,
    }),
    acks: new Histogram({
      name: 'pressroom_slack_ack_seconds',
      help: 'Time until a request of Slack was acknowledged',
      buckets: [0.005, 0.02, 0.1, 0.5, 1, 3],
      registers,
    }),
    edits: new Counter({
      name: 'pressroom_slack_edits_total',
      help: 'Message edits',
      labelNames: ['result'],
      registers,
    }),
    deploys: new Counter({
      name: 'pressroom_slack_deploys_total',
      help: 'Deploys announced to their end',
      labelNames: ['state'],
      registers,
    }),
  };
}
