import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Of each project, those that take longest. */
const LONGEST = [
  'integration/conduct',
  'integration/stalls',
  'integration/shares',
  'integration/loadtester',
  'integration/rehearse-strategies',
  'integration/kinds',
  'integration/credentials',
  'integration/provider-releases',
  'integration/embedded',
  'integration/analysed-bytes',
  'integration/rehearse-command',
  'integration/killed-processes',
  'controller/lost-answers',
  'test/worst-cases',
  'controller/invariants',
  'controller/hostile-anchor',
];

/** One project after the other: a worker goes on only with files of its own. */
const PROJECTS = ['integration', 'mocking', 'unit'];

/** A fresh clone knows no durations, and a long file that begins last keeps one core busy alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return PROJECTS.indexOf(project.name) * (LONGEST.length + 1) + (found === -1 ? LONGEST.length : found);
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
