// The stages of a task in line order: as reported by the server, or derived from the output.
import { TASK_STAGES, type TaskStage, type TaskStageName } from '../../contract/index.ts';
import { stageOfLine } from './stage-of-line.ts';

export interface TaskStages {
  /** New stages up to this line. @param said null if the server reports none */
  upTo(index: number, line: string, said: readonly TaskStage[] | null): TaskStageName[];
  /** Stages that have started without output yet. */
  rest(said: readonly TaskStage[] | null): TaskStageName[];
}

export function createTaskStages(): TaskStages {
  let yielded = 0;
  /** Derived stages only move forward. */
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
