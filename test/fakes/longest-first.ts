import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, by project; among those of `integration` are some that wait for processes, spread so that not all wait at once. */
export const LONGEST = [
  'integration/conduct',
  'integration/rehearse-command',
  'integration/rehearse-strategies',
  'integration/loadtester',
  'integration/credentials',
  'integration/stalls',
  'integration/people',
  'integration/embedded',
  'integration/black-hole',
  'integration/kinds',
  'integration/provider-releases',
  'integration/killed-processes',
  'integration/demo',
  'integration/rehearse-live',
  'integration/verbs',
  'integration/configs',
  'integration/shares',
  'integration/analysed-bytes',
  'integration/failover',
  'integration/faulty-releases',
  'integration/controller-start',
  'integration/reinstall',
  'controller/deletion/uninstall',
  'test/worst-cases',
  'engine/invariants',
  'controller/invariants',
  'canary/lost-answers',
  'test/fuzz',
  'adoption/hostile-anchor',
  'contracts/outages',
  'reconcile/unroutable',
  'deletion/restore-application',
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
