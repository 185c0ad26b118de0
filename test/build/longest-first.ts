import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Of each project, those that take longest. */
const LONGEST = [
  'integration/killed-processes',
  'integration/kinds',
  'integration/embedded',
  'integration/conduct',
  'integration/analysed-bytes',
  'integration/shares',
  'integration/gateway-api',
  'test/worst-cases',
  'controller/lost-answers',
  'controller/invariants',
  'controller/hostile-anchor',
];

/** A fresh clone knows no durations, and a long file that begins last keeps one core busy alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return (project.name === 'unit' ? LONGEST.length + 1 : 0) + (found === -1 ? LONGEST.length : found);
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
