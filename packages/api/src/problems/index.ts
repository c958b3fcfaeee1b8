export { findProblem, type ProblemSources } from './find-problem.ts';
export type { Problem } from './problem.ts';
