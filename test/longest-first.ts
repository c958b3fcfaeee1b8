// Starts the longest test files first, so that none of them runs alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A worker is kept for one project, so its files stay together. */
const PROJECTS = ['tests', 'processes', 'acceptance', 'postgres', 'unit', 'editor'];
/** Files over half a minute: not apparent from their size, by which the others are sorted. */
const LONG = [
  'browser/content/python-frameworks',
  'restore-python',
  'clients/rsconnect-python',
  'storage/s3',
  'restore-uv',
  'browser/content/hostile-content',
  'npm-packages',
  'restore-r',
  'separation',
  'shiny',
  'sign-in-browser',
  'workers',
  'dashboard/pages',
  'processes/constellation',
  'slack/faults',
  'storage/cluster',
  'processes/kill',
  'runtime/processes',
  'built',
  'acceptance/running',
  'storage/eviction',
  'editor/examples',
  'virtual-workspace',
  'hostile-workspace',
  'connection-failures',
].map((name) => `/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) =>
        PROJECTS.indexOf(one.project.name) - PROJECTS.indexOf(other.project.name) ||
        rank(one.moduleId) - rank(other.moduleId),
    );
  }
}

function rank(file: string): number {
  const index = LONG.findIndex((end) => file.endsWith(end));
  return index === -1 ? LONG.length : index;
}
