// Renders documents when their schedules say so.
import type { Logger } from 'pino';
import { SYSTEM, type Audit } from '../audit/record.ts';
import { createRender } from '../content/commands.ts';
import { findContent } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { openTasksOf } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { nextTime } from './next-time.ts';
import { dueSchedules, setNextTime, type ScheduleRow } from './store.ts';

export interface Schedules extends Disposable {
  /** Starts what is due; answers the tasks. Called every few seconds. */
  runDue(): Promise<string[]>;
}

export interface SchedulesOptions {
  readonly storage: Storage;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Logger;
}

const LOOK_MS = 5000;

export function createSchedules({ storage, tasks, deploys, audit, clock, log }: SchedulesOptions): Schedules {
  /** Moves the schedule on and makes the task in one transaction, so that of several servers only one renders. */
  function start({ content_guid: guid, cron, timezone, user_guid }: ScheduleRow) {
    return storage.write(async (tx) => {
      const now = clock.now();
      const [due] = (await dueSchedules(tx, now)).filter((row) => row.content_guid === guid);
      if (!due) return null;
      await setNextTime(tx, guid, nextTime(cron, timezone, now));
      const content = await findContent(tx, guid);
      const open = await openTasksOf(tx, guid);
      // A document that is still being rendered, or waits for it, is not asked for again.
      if (!content || content.rendering_id === null || open.length > 0) return null;
      const render = await createRender({ tasks }, tx, content, user_guid);
      const description = `Rendering content ${content.name} (${guid}) as scheduled, task ${render.id}`;
      await audit(tx, SYSTEM, 'render_application', description, {
        content: guid,
        bundle: render.bundle.id,
        task: render.id,
      });
      return render;
    });
  }

  async function runDue(): Promise<string[]> {
    const started: string[] = [];
    for (const schedule of await dueSchedules(storage.db, clock.now())) {
      const render = await start(schedule).catch((error: unknown) => {
        log.error(error, 'schedule of content %s', schedule.content_guid);
        return null;
      });
      if (!render) continue;
      void deploys.run(render.id, render.bundle, 'render');
      started.push(render.id);
    }
    return started;
  }

  const looking = setInterval(() => {
    runDue().catch((error: unknown) => log.error(error, 'schedules'));
  }, LOOK_MS).unref();
  return {
    runDue,
    [Symbol.dispose]: () => clearInterval(looking),
  };
}
