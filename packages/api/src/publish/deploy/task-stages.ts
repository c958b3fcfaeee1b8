// The stages of a task in the order of its lines: as the server says them, or read from the output where it does not.
import { TASK_STAGES, type TaskStage, type TaskStageName } from '../../contract/index.ts';
import { stageOfLine } from './stage-of-line.ts';

export interface TaskStages {
  /** Stages that begin before or with this line and were not yielded yet. @param said null: the server says none */
  upTo(index: number, line: string, said: readonly TaskStage[] | null): TaskStageName[];
  /** Stages that have begun though nothing was printed in them yet. */
  rest(said: readonly TaskStage[] | null): TaskStageName[];
}

export function createTaskStages(): TaskStages {
  let yielded = 0;
  /** What was read from the output: stages only go on. */
  let reached = -1;
  const take = (said: readonly TaskStage[], below: number): TaskStageName[] => {
    const names: TaskStageName[] = [];
    for (let next = said[yielded]; next !== undefined && next.line <= below; next = said[yielded]) {
      names.push(next.name);
      yielded += 1;
    }
    return names;
  };
  return {
    upTo(index, line, said) {
      if (said !== null) return take(said, index);
      const name = stageOfLine(line);
      const place = name === null ? -1 : TASK_STAGES.indexOf(name);
      if (name === null || place <= reached) return [];
      reached = place;
      return [name];
    },
    rest: (said) => (said === null ? [] : take(said, Number.POSITIVE_INFINITY)),
  };
}
