// Renders documents on schedule.
import type { Logger } from 'pino';
import { SYSTEM, type Audit } from '../audit/record.ts';
import { findContent, type ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import { createRender } from '../deploys/start-deploy.ts';
import type { Clock } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import { openTasksOf } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { createVariantRender, runRender } from '../variants/render.ts';
import { findVariant } from '../variants/store.ts';
import { nextTimeOf } from './next-time.ts';
import {
  DEFAULT_VARIANT,
  dueSchedules,
  findSchedule,
  plannedSchedules,
  setNextTime,
  type ScheduleRow,
} from './store.ts';

export interface Schedules extends Disposable {
  /** Starts due renders; returns the tasks. Called every few seconds. */
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
  /** Time of the last check; unknown at the start. */
  let last: Micros = Infinity;

  /** Advances the schedule and creates the task in one transaction, so that only one of several servers renders. */
  function start({ content_guid: guid, variant_key: key }: ScheduleRow) {
    return storage.write(async (tx): Promise<(() => string) | null> => {
      const now = clock.now();
      const schedule = await findSchedule(tx, guid, key);
      if (schedule?.next_time == null || schedule.next_time > now) return null;
      const next = nextTimeOf(schedule, now);
      if (next === null) log.warn('the schedule %s of content %s ends', schedule.cron, guid);
      await setNextTime(tx, schedule, next);
      const content = await findContent(tx, guid);
      const open = await openTasksOf(tx, guid);
      // A scheduled render that is still waiting or running is not started again. No other task in progress is mailed
      // at its end.
      const isWaiting = open.some(
        ({ variant_key, mails }) => mails === 1 && (variant_key ?? DEFAULT_VARIANT) === key,
      );
      if (!content || content.rendering_id === null || isWaiting) return null;
      if (key !== DEFAULT_VARIANT) return startVariant(tx, content, key);
      const render = await createRender({ tasks }, tx, content, schedule.user_guid, { mails: true });
      const description = `Rendering content ${content.name} (${guid}) as scheduled, task ${render.id}`;
      await audit(tx, SYSTEM, 'render_application', description, {
        content: guid,
        bundle: render.bundle.id,
        task: render.id,
      });
      return () => {
        void deploys.run(render.id, render.bundle, 'render');
        return render.id;
      };
    });
  }

  async function startVariant(
    tx: Executor,
    content: ContentRow,
    key: string,
  ): Promise<(() => string) | null> {
    const variant = await findVariant(tx, key);
    if (!variant) return null;
    const render = await createVariantRender({ tasks, audit }, tx, content, variant, SYSTEM, {
      mails: true,
    });
    return () => {
      runRender({ deploys }, render);
      return render.id;
    };
  }

  /** A clock that was ahead may have postponed schedules by years, in an earlier run or this one. */
  async function bringForward(now: Micros): Promise<void> {
    await storage.write(async (tx) => {
      for (const schedule of await plannedSchedules(tx)) {
        const next = nextTimeOf(schedule, now);
        const second = next && nextTimeOf(schedule, next);
        // Another server, whose clock is slightly ahead, may have started the next one already.
        if (second !== null && second < (schedule.next_time ?? 0)) await setNextTime(tx, schedule, next);
      }
    });
  }

  async function runDue(): Promise<string[]> {
    const started: string[] = [];
    const now = clock.now();
    if (now < last) await bringForward(now);
    last = now;
    for (const schedule of await dueSchedules(storage.db, now)) {
      const render = await start(schedule).catch((error: unknown) => {
        log.error(error, 'schedule of content %s', schedule.content_guid);
        return null;
      });
      if (render) started.push(render());
    }
    return started;
  }

  const looking = setInterval(() => {
    runDue().catch(failureOf('schedules', log));
  }, LOOK_MS).unref();
  return {
    runDue,
    [Symbol.dispose]: () => clearInterval(looking),
  };
}
