// Modals opened by a click; if Slack refuses one, a message replaces it.
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { failureMessage, textModal } from '../../blocks/notes.ts';
import { rollbackAsMessage, rollbackQuestion } from '../../commands/rollback/clicks.ts';
import { createReply, retryShortly, type Invoker, type Wait } from '../../deliver/transport/reply.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';

/** The ID of the modal; null if Slack does not open it. Triggers work once: there is no retry. */
export async function openWindow(
  { log }: Pick<Services, 'log'>,
  client: WebClient,
  trigger_id: string,
  view: ModalView,
): Promise<string | null> {
  try {
    return (await client.views.open({ trigger_id, view })).view?.id ?? null;
  } catch (error) {
    log.warn({ err: error }, 'a window could not be opened');
    return null;
  }
}

export interface RollbackWindow {
  readonly id: string;
  readonly invoker: Invoker;
  /** The notice with the pressed button. */
  readonly notice: string;
  readonly responseUrl: string | null;
  readonly texts: Texts;
}

/** Fills the opened modal with possible targets, or why there are none. */
export async function fillRollback(
  services: Services,
  client: WebClient,
  { id, invoker, notice, responseUrl, texts }: RollbackWindow,
  wait?: Wait,
): Promise<void> {
  let view: ModalView;
  try {
    view = await rollbackQuestion(services, invoker, notice, responseUrl, texts);
  } catch (error) {
    services.log.warn({ err: error }, 'the question of a rollback failed');
    const message = failureMessage(error, texts.failure.rollback, texts);
    view = textModal(texts.buttons.rollBack, message, texts);
  }
  try {
    await retryShortly(async () => void (await client.views.update({ view_id: id, view })), wait);
  } catch (error) {
    // The modal may be closed, or Slack refuses it: the question is sent as a message.
    services.log.warn({ err: error }, 'a window could not be filled');
    const { slack, log } = services;
    const reply = createReply({ slack, invoker, responseUrl, log, wait });
    await reply.respond(
      await rollbackAsMessage(services, invoker, notice, texts).catch((second: unknown) =>
        failureMessage(second, texts.failure.rollback, texts),
      ),
    );
  }
}
