import type { KubeObject } from '../../src/api/kube-object.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { raw } from '../fakes/raw.ts';

/** Analysis of a release, as its Canary has recorded it. */
export interface Analysis {
  /** Each release, by its number and its beginning. */
  readonly runs: readonly string[];
  /** Numbers of passed iterations, each without repetition. */
  readonly iterations: readonly number[];
  stop(): void;
}

const PHASES = ['Progressing', 'WaitingPromotion'];

/** Watches a Canary while it analyses a release. */
export function analysisOf(cluster: Pick<Cluster, 'watch'>, { namespace, name }: { namespace: string; name: string }): Analysis {
  const runs: string[] = [];
  const iterations: number[] = [];
  const note = (canary: KubeObject): void => {
    const { phase, release, iterations: passed } = raw(canary).status ?? {};
    if (canary.metadata.name !== name || !PHASES.includes(phase)) return;
    const run = `${release.run} since ${release.startedMs}`;
    if (run !== runs.at(-1)) runs.push(run);
    if (passed !== iterations.at(-1)) iterations.push(passed);
  };
  const watch = cluster.watch(
    { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace },
    { onList: (items) => items.forEach(note), onEvent: ({ object }) => note(object) },
  );
  return { runs, iterations, stop: () => watch.stop() };
}
