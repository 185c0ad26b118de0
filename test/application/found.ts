import type { Break } from './invariants.ts';
import { foundLife, type Life } from './life.ts';

/** A life that once broke an invariant, shrunk, and the finding whose fix makes it whole. */
export interface Found {
  what: string;
  /** Number of the finding in issue 40, or item 10 of issue 44; otherwise the modelled world or the judge was wrong. */
  finding: number | 'item 10' | 'of the modelled world';
  invariant: Break['invariant'];
  life: Life;
}

/** Played in every run of `npm test`. Whole lives: what a seed draws changes with each action that the generator learns. */
export const found: readonly Found[] = [
  {
    what: 'a version that exits 12 s after it was ready is promoted',
    finding: 1,
    invariant: 'I20',
    life: foundLife(2, { hasService: false }, [{ at: 'writingPrimary', afterMs: 3533, action: { do: 'push', version: 'exits-4' } }]),
  },
  {
    what: 'a version that crashed in nine intervals is promoted',
    finding: 1,
    invariant: 'I20',
    life: foundLife(20, {}, [
      { at: 'now', afterMs: 13365, action: { do: 'push', version: 'good-2' } },
      { at: 'resting', afterMs: 4502, action: { do: 'push', version: 'exits-3' } },
      { at: 'draining', afterMs: 8512, action: { do: 'edit the route by hand' } },
    ]),
  },
  {
    what: 'replace --force makes what was never promoted the primary',
    finding: 2,
    invariant: 'I19',
    life: foundLife(3, {}, [
      { at: 'resting', afterMs: 430, action: { do: 'push', version: 'exits-2' } },
      { at: 'awaitingPrimary', afterMs: 14628, action: { do: 'replace --force' } },
    ]),
  },
  {
    what: 'replace --force while the canary settles promotes it',
    finding: 2,
    invariant: 'I19',
    life: foundLife(23, {}, [
      { at: 'now', afterMs: 13122, action: { do: 'push', version: 'good-2' } },
      { at: 'settling', afterMs: 7881, action: { do: 'replace --force' } },
    ]),
  },
  {
    what: 'replace --force in an analysis promotes what is analysed',
    finding: 2,
    invariant: 'I19',
    life: foundLife(26, {}, [
      { at: 'resting', afterMs: 2044, action: { do: 'push', version: 'good-4' } },
      { at: 'analysing', afterMs: 3580, action: { do: 'replace --force' } },
    ]),
  },
  {
    what: 'all users get the version that was settling when the Canary was deleted',
    finding: 2,
    invariant: 'I19',
    life: foundLife(54, { hasScaler: true }, [
      { at: 'resting', afterMs: 3578, action: { do: 'push', version: 'flaps-2' } },
      { at: 'settling', afterMs: 15772, action: { do: 'delete the Canary' } },
    ]),
  },
  {
    what: 'a Canary that is created again contests its own Service',
    finding: 3,
    invariant: 'I18',
    life: foundLife(5, { hasService: false }, [{ at: 'draining', afterMs: 14087, action: { do: 'replace --force' } }]),
  },
  {
    what: 'the third release in a row contests the HPA of the primary',
    finding: 4,
    invariant: 'I18',
    life: foundLife(55, { hasScaler: true }, [
      { at: 'resting', afterMs: 2241, action: { do: 'push', version: 'good-7' } },
      { at: 'resting', afterMs: 3136, action: { do: 'push', version: 'good-8' } },
      { at: 'resting', afterMs: 1319, action: { do: 'push', version: 'good-9' } },
    ]),
  },
  {
    what: 'the primary of a target that was made again with another label has no endpoints',
    finding: 5,
    invariant: 'I7',
    life: foundLife(1, { hasScaler: true }, [{ at: 'now', afterMs: 4150, action: { do: 'relabel the target' } }]),
  },
  {
    what: 'a target is made again with another label while its primary starts',
    finding: 5,
    invariant: 'I7',
    life: foundLife(21, { hasService: false }, [{ at: 'creatingPrimary', afterMs: 13637, action: { do: 'relabel the target' } }]),
  },
  {
    what: 'a restart with other --selector-labels leaves the primary without endpoints',
    finding: 5,
    invariant: 'I7',
    life: foundLife(52, {}, [
      { at: 'now', afterMs: 7900, action: { do: 'kill Serin', forMs: 16039, selectorLabels: ['app.kubernetes.io/name', 'app'] } },
    ]),
  },
  {
    what: 'manifests that are applied again over a kept primary give all users what it is kept from',
    finding: 2,
    invariant: 'I19',
    life: foundLife(4, { provider: 'kubernetes' }, [
      { at: 'resting', afterMs: 1_000, action: { do: 'push', version: 'bad-2' } },
      { at: 'resting', afterMs: 5_000, action: { do: 'delete the Canary' } },
      { at: 'now', afterMs: 30_000, action: { do: 'apply the manifests again' } },
      { at: 'now', afterMs: 30_000, action: { do: 'apply the manifests again' } },
    ]),
  },
  {
    what: 'manifests that are applied again while a pushed version is not ready leave users without pods',
    finding: 2,
    invariant: 'I7',
    life: foundLife(30_282, { revertOnDeletion: true, provider: 'kubernetes' }, [
      { at: 'resting', afterMs: 1_601, action: { do: 'push', version: 'oom-5' } },
      { at: 'resting', afterMs: 20_530, action: { do: 'delete the Canary' } },
      { at: 'resting', afterMs: 4_935, action: { do: 'push', version: 'broken' } },
      { at: 'now', afterMs: 35_351, action: { do: 'apply the manifests again' } },
    ]),
  },
  {
    what: 'manifests that are applied again at once after a deletion count as a hand-over',
    finding: 2,
    invariant: 'I7',
    life: foundLife(30_527, { revertOnDeletion: true, provider: 'kubernetes' }, [
      { at: 'resting', afterMs: 2_024, action: { do: 'push', version: 'broken' } },
      { at: 'resting', afterMs: 4_460, action: { do: 'delete the Canary' } },
      { at: 'now', afterMs: 213, action: { do: 'apply the manifests again' } },
    ]),
  },
  {
    what: 'a promotion waits at half the traffic until the brake corrects a contested Service',
    finding: 3,
    invariant: 'I18',
    life: foundLife(60_713, { hasScaler: true, hasService: false }, [
      { at: 'resting', afterMs: 2_819, action: { do: 'push', version: 'good-5' } },
      { at: 'awaitingPrimary', afterMs: 3_509, action: { do: 'push', version: 'good-6' } },
      { at: 'now', afterMs: 6_345, action: { do: 'contest', what: 'Service', forMs: 530_421 } },
      { at: 'resting', afterMs: 690, action: { do: 'contest', what: 'Service', forMs: 372_015 } },
      { at: 'now', afterMs: 26_135, action: { do: 'push', version: 'bad-7' } },
    ]),
  },
  {
    what: 'an old pod that crashed is back as if it were of the version that does not start',
    finding: 'of the modelled world',
    invariant: 'I19',
    life: foundLife(80_615, {}, [
      { at: 'awaitingPrimary', afterMs: 2_472, action: { do: 'push', version: 'good-3' } },
      { at: 'scalingUp', afterMs: 10_950, action: { do: 'push', version: 'broken' } },
      { at: 'now', afterMs: 12_986, action: { do: 'replace --force' } },
      { at: 'now', afterMs: 10_916, action: { do: 'crash', side: 'target', how: 'exit', ms: 7_014 } },
    ]),
  },
  {
    what: 'a proxy hears of a drained pod when the next one is there already',
    finding: 'of the modelled world',
    invariant: 'I7',
    life: foundLife(80_870, {}, [
      { at: 'resting', afterMs: 4_248, action: { do: 'push', version: 'broken' } },
      { at: 'analysing', afterMs: 26_477, action: { do: 'rename', name: 'renamed-147', first: 'delete' } },
      { at: 'now', afterMs: 9_668, action: { do: 'delete the Canary' } },
      { at: 'settling', afterMs: 4_905, action: { do: 'contest', what: 'route', forMs: 576_503 } },
      { at: 'analysing', afterMs: 10_752, action: { do: 'push', version: 'good-4' } },
      { at: 'resting', afterMs: 819, action: { do: 'push', version: 'good-5' } },
      { at: 'analysing', afterMs: 367, action: { do: 'drain', side: 'target', how: 'EvictionByEvictionAPI', ms: 7_042 } },
    ]),
  },
  {
    what: 'a kept primary whose Services select by two labels contests itself, and the pause is long when manifests are applied again',
    finding: 2,
    invariant: 'I19',
    life: foundLife(110_143, { provider: 'kubernetes' }, [
      { at: 'resting', afterMs: 3_300, action: { do: 'push', version: 'bad-8' } },
      { at: 'resting', afterMs: 8_700, action: { do: 'delete the Canary' } },
      { at: 'now', afterMs: 20_500, action: { do: 'apply the manifests again' } },
      { at: 'now', afterMs: 3_300, action: { do: 'apply the manifests again' } },
    ]),
  },
  {
    what: 'a failed release that a backup brought back leaves all users on the version that failed',
    finding: 'item 10',
    invariant: 'I19',
    life: foundLife(120_029, { provider: 'kubernetes' }, [
      { at: 'resting', afterMs: 909, action: { do: 'push', version: 'bad-6' } },
      { at: 'analysing', afterMs: 3_666, action: { do: 'back up' } },
      { at: 'resting', afterMs: 13_597, action: { do: 'restore', lost: 'all', keeps: 'neither', order: 'by name', gapMs: 305 } },
    ]),
  },
  {
    what: 'a backup from the start of a release is restored, and its primary is not ours',
    finding: 'item 10',
    invariant: 'I19',
    life: foundLife(120_004, { provider: 'kubernetes' }, [
      { at: 'resting', afterMs: 181, action: { do: 'contest', what: 'Service', forMs: 555_620 } },
      { at: 'resting', afterMs: 4_237, action: { do: 'push', version: 'good-5' } },
      { at: 'scalingUp', afterMs: 4_997, action: { do: 'back up' } },
      { at: 'resting', afterMs: 9_195, action: { do: 'restore', lost: 'all', keeps: 'neither', order: 'by name', gapMs: 245 } },
    ]),
  },
  {
    what: 'a release that is restored with its status keeps its share of the traffic, and a failing version gets it',
    finding: 'item 10',
    invariant: 'I18',
    life: foundLife(120_024, {}, [
      { at: 'resting', afterMs: 4_916, action: { do: 'push', version: 'good-7' } },
      { at: 'analysing', afterMs: 3_942, action: { do: 'back up' } },
      { at: 'resting', afterMs: 7_949, action: { do: 'restore', lost: 'all', keeps: 'status', order: 'target first', gapMs: 8_826 } },
      { at: 'resting', afterMs: 1_646, action: { do: 'push', version: 'bad-3' } },
    ]),
  },
  {
    what: 'a proxy of App Mesh hears of a node that goes before the route that led to it',
    finding: 'of the modelled world',
    invariant: 'I7',
    life: foundLife(120_049, { provider: 'appmesh:v1beta2' }, [{ at: 'now', afterMs: 12_107, action: { do: 'delete the Canary' } }]),
  },
  {
    what: 'a restored target is promoted by the start of its Canary while the rest of the backup is still coming',
    finding: 'of the modelled world',
    invariant: 'I3',
    life: foundLife(440_051, { hasScaler: true, revertOnDeletion: true, provider: 'kubernetes' }, [
      { at: 'resting', afterMs: 4_611, action: { do: 'push', version: 'exits-5' } },
      { at: 'writingPrimary', afterMs: 5_440, action: { do: 'back up' } },
      { at: 'now', afterMs: 3_530, action: { do: 'restore', lost: 'all', keeps: 'owners', order: 'by name', gapMs: 3_084 } },
    ]),
  },
  {
    what: 'the target is deleted and made again when a deletion has given it its users',
    finding: 'item 10',
    invariant: 'I7',
    life: foundLife(440_126, { revertOnDeletion: true }, [
      { at: 'analysing', afterMs: 6_408, action: { do: 'rename', name: 'renamed-678', first: 'delete' } },
      { at: 'now', afterMs: 8_038, action: { do: 'relabel the target' } },
    ]),
  },
  {
    what: 'an uninstall goes on over a restored backup of what it had left for its grace',
    finding: 'of the modelled world',
    invariant: 'I7',
    life: foundLife(900_058, { provider: 'appmesh:v1beta2' }, [
      { at: 'resting', afterMs: 9_392, action: { do: 'helm uninstall', order: ['target', 'Service', 'Canary'], gapMs: 8_072 } },
      { at: 'awaitingPrimary', afterMs: 7_007, action: { do: 'back up' } },
      { at: 'now', afterMs: 17_917, action: { do: 'kill Serin', forMs: 25_538 } },
      { at: 'now', afterMs: 6_476, action: { do: 'restore', lost: 'all', keeps: 'status', order: 'Canary last', gapMs: 229 } },
      { at: 'resting', afterMs: 84_486, action: { do: 'kill Serin', forMs: 13_757 } },
    ]),
  },
];
