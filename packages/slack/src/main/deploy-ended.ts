// What follows the end of an announced deploy: a workflow's step, the release's message, a message to who deployed.
import { stepEnded } from '../commands/deploy/step.ts';
import { isFailure } from '../deliver/deploys/announcement.ts';
import { starterMessage, type LiveDeploy } from '../deliver/deploys/blocks.ts';
import { addLiveStep } from '../deliver/releases/add-live-step.ts';
import { DIRECT } from '../deliver/transport/direct.ts';
import type { Services } from '../services.ts';
import type { Notice } from '../store/notices.ts';

/** Returns at once: failures are logged, and one does not keep the others from being sent. */
export function deployEnded(
  services: Pick<Services, 'store' | 'slack' | 'languages' | 'alerts' | 'log'>,
  notice: Notice,
  deploy: LiveDeploy,
): void {
  const attempt = (work: Promise<void>, what: string) =>
    void work.catch((error: unknown) => services.log.warn({ err: error }, what));
  attempt(stepEnded(services, notice), 'the step of a workflow');
  if (notice.state === 'succeeded') attempt(addLiveStep(services, notice), 'the message of a release');
  // In direct messages the person sees it anyway.
  if (isFailure(notice) && !notice.channel.startsWith('D'))
    attempt(writeToStarter(services, notice, deploy), 'a message to who deployed');
}

async function writeToStarter(
  { languages, alerts }: Pick<Services, 'languages' | 'alerts'>,
  { team, slack_user: starter, content, deploy: id }: Notice,
  deploy: LiveDeploy,
): Promise<void> {
  if (starter === null) return;
  const message = starterMessage(deploy, await languages.ofPerson(team, starter));
  const place = { team, channel: `${DIRECT}${starter}`, reader: starter, content };
  await alerts.send({ ...place, id: `starter:${id}:${team}`, message });
}
