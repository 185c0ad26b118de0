import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, by project. Some files of `integration` wait for processes, and are spread so that not all wait at once. Files of `e2e` take about a
 * minute or more.
 */
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
  'e2e/attacks',
  'e2e/tutorials',
  'e2e/readme',
  'e2e/scaled-releases',
  'e2e/drift',
  'e2e/rehearsal',
  'e2e/conduct',
  'e2e/special-kinds',
  'e2e/shares',
  'e2e/stalls',
  'e2e/uninstall',
  'e2e/lives',
  'e2e/break-glass',
  'e2e/dashboards',
  'e2e/reinstall',
  'e2e/kinds',
  'e2e/rules',
  'e2e/verbs',
  'e2e/measured-elsewhere',
  'e2e/rollouts',
  'e2e/provider-releases',
  'e2e/adversity',
  'e2e/chart-upgrades',
  'e2e/real',
  'e2e/idle-pods',
  'e2e/configs',
  'e2e/demo',
  'e2e/kubectl',
  'e2e/chart-releases',
  'e2e/healthy-releases',
];

/** One project after the other: a worker goes on only with files of its own. */
const PROJECTS = ['integration', 'own-process', 'simulated', 'unit', 'e2e'];

/** True if a file has this name, in any tier. */
export const isNamed = (file: string, name: string): boolean =>
  file.replace(/(?:\.(?:simulated|integration))?\.test\.ts$/, '').endsWith(`/${name}`);

/** Place among the longest; of any other file their number. */
function placeOf({ moduleId }: Pick<TestSpecification, 'moduleId'>): number {
  const found = LONGEST.findIndex((name) => isNamed(moduleId, name));
  return found === -1 ? LONGEST.length : found;
}

/** A fresh clone knows no durations, and a long file that begins last keeps only one core busy. */
export class LongestFirst extends BaseSequencer {
  /** `--shard=1/3`: of the longest files every third one, and all others, which take little time and are part of each shard. */
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    return files.filter((file) => placeOf(file) === LONGEST.length || placeOf(file) % count === index - 1);
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = (file: TestSpecification): number => PROJECTS.indexOf(file.project.name) * (LONGEST.length + 1) + placeOf(file);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
