// The stages of a task in line order: as reported by the server, or derived from the output.
import { TASK_STAGES, type TaskStage, type TaskStageName } from '../../contract/index.ts';
import { stageOfLine } from './stage-of-line.ts';

export interface TaskStages {
  /** New stages up to this line. @param said null if the server reports none */
  upTo(index: number, line: string, reported: readonly TaskStage[] | null): TaskStageName[];
  /** Stages that have started without output yet. */
  rest(reported: readonly TaskStage[] | null): TaskStageName[];
}

export function createTaskStages(): TaskStages {
  let yielded = 0;
  /** Derived stages only move forward. */
  let reached = -1;
  const take = (reported: readonly TaskStage[], below: number): TaskStageName[] => {
    const names: TaskStageName[] = [];
    for (let next = reported[yielded]; next !== undefined && next.line <= below; next = reported[yielded]) {
      names.push(next.name);
      yielded += 1;
    }
    return names;
  };
  return {
    upTo(index, line, reported) {
      if (reported !== null) return take(reported, index);
      const name = stageOfLine(line);
      const place = name === null ? -1 : TASK_STAGES.indexOf(name);
      if (name === null || place <= reached) return [];
      reached = place;
      return [name];
    },
    rest: (reported) => (reported === null ? [] : take(reported, Number.POSITIVE_INFINITY)),
  };
}
