export { findProblems, type ProblemSources } from './find-problems.ts';
export type { Problem } from './problem.ts';
