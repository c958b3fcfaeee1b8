// The slash command: acknowledged at once, processed afterwards.
import type { App } from '@slack/bolt';
import { execute } from '../../commands/execute.ts';
import type { ListenerContext } from './context.ts';

export function listenToCommand(app: App, { services, queue, metrics }: ListenerContext): void {
  app.command(/^\/.+/, async ({ command, ack }) => {
    const began = performance.now();
    const invoker = {
      team: command.team_id,
      user: command.user_id,
      name: command.user_name,
      channel: command.channel_id,
    };
    if (queue.isFull(invoker)) {
      const { failure } = await services.languages.ofPerson(command.team_id, command.user_id);
      metrics.refused.inc();
      return ack({ response_type: 'ephemeral', text: failure.busy });
    }
    await ack();
    metrics.acks.observe((performance.now() - began) / 1000);
    queue.add(async () => {
      await execute(services, {
        line: command.text,
        invoker,
        responseUrl: command.response_url,
        typed: true,
      });
      metrics.commands.inc();
    }, invoker);
    return undefined;
  });
}
