import type { Schedule } from './adversary.ts';

const plain = { more: [], hasScaler: false, observesAfterMs: 0, aimed: [] } satisfies Partial<Schedule>;

/**
 * Schedules of `SCHEDULES_SEED=746998395` that once got bytes to the primary that no analysed pod had run, in their drawn form.
 * Six show a fault of the engine (E56). Two show a fault of the evidence, which took an untracked config for a tracked one. The last two show changes that no
 * watch had reported (`test/integration/unwatched-configs.test.ts`).
 * They strike at the number of a call, which moves with any change of Serin: the permanent guard of E56 are the cases of `src/engine/configs.test.ts`.
 */
export const foundSchedules: readonly (Schedule & { what: string })[] = [
  {
    ...plain,
    what: 'a template comes and goes while pods that read another ConfigMap leave',
    seed: 435263126,
    analysis: { iterations: 2 },
    strikes: [
      { how: 'recreateTarget', call: 118, afterMs: 0 },
      { how: 'deleteConfig', call: 90, afterMs: 0 },
      { how: 'editConfigMap', call: 93, afterMs: 7435 },
      { how: 'editConfigMap', call: 63, afterMs: 0 },
      { how: 'editConfigMap', call: 88, afterMs: 8385 },
      { how: 'configBack', call: 2, afterMs: 0 },
      { how: 'pushAndBack', call: 99, afterMs: 0 },
      { how: 'editOptional', call: 47, afterMs: 0 },
      { how: 'pushAndBack', call: 66, afterMs: 0 },
    ],
  },
  {
    ...plain,
    what: 'a template comes and goes while pods that read another Secret leave',
    seed: 897214896,
    analysis: { stepWeights: [10, 60] },
    strikes: [
      { how: 'pushAndBack', call: 54, afterMs: 1513 },
      { how: 'editSecret', call: 51, afterMs: 0 },
      { how: 'pushBack', call: 32, afterMs: 0 },
      { how: 'deletePrimary', call: 8, afterMs: 0 },
    ],
  },
  {
    ...plain,
    what: 'a template comes and goes while pods that read another optional ConfigMap leave',
    seed: 2067619285,
    analysis: { iterations: 2 },
    strikes: [
      { how: 'pushAndBack', call: 105, afterMs: 0 },
      { how: 'deletePrimary', call: 102, afterMs: 5664 },
      { how: 'editOptional', call: 102, afterMs: 0 },
      { how: 'deletePrimary', call: 58, afterMs: 0 },
      { how: 'configBack', call: 27, afterMs: 0 },
      { how: 'editSecret', call: 45, afterMs: 0 },
      { how: 'push', call: 97, afterMs: 0 },
      { how: 'editOptional', call: 86, afterMs: 0 },
    ],
  },
  {
    ...plain,
    what: 'a template comes and goes while pods of a target that was made again leave',
    seed: 1784366266,
    analysis: { iterations: 2 },
    strikes: [
      { how: 'pushBack', call: 29, afterMs: 0 },
      { how: 'editConfigMap', call: 95, afterMs: 0 },
      { how: 'recreateTarget', call: 52, afterMs: 0 },
      { how: 'editSecret', call: 40, afterMs: 0 },
      { how: 'pushAndBack', call: 107, afterMs: 0 },
      { how: 'editBinary', call: 72, afterMs: 0 },
    ],
  },
  {
    ...plain,
    what: 'a template goes seconds after it came while pods that read another ConfigMap leave',
    seed: 2147483641,
    analysis: { stepWeights: [10, 60] },
    strikes: [
      { how: 'scale', call: 45, afterMs: 10908 },
      { how: 'push', call: 55, afterMs: 0 },
      { how: 'editBinary', call: 46, afterMs: 0 },
      { how: 'kill', call: 32, afterMs: 0 },
      { how: 'pushFirst', call: 49, afterMs: 5194 },
      { how: 'optOut', call: 95, afterMs: 4916 },
      { how: 'editBinary', call: 23, afterMs: 38 },
      { how: 'configBack', call: 31, afterMs: 481 },
    ],
  },
  {
    ...plain,
    what: 'a template comes and goes while pods that read a ConfigMap which is left alone by now leave',
    seed: 1871367364,
    analysis: { iterations: 2 },
    strikes: [
      { how: 'pushFirst', call: 52, afterMs: 0 },
      { how: 'optOut', call: 53, afterMs: 0 },
      { how: 'kill', call: 36, afterMs: 2194 },
      { how: 'blink', call: 10, afterMs: 6086 },
      { how: 'editPrimary', call: 19, afterMs: 0 },
      { how: 'pushBack', call: 60, afterMs: 0 },
      { how: 'push', call: 8, afterMs: 7391 },
      { how: 'dropReference', call: 114, afterMs: 0 },
    ],
  },
  {
    ...plain,
    what: 'a ConfigMap that is left alone is made again, tracked, before the first primary starts',
    seed: 1710282934,
    analysis: { stepWeights: [10, 60] },
    strikes: [
      { how: 'optOut', call: 7, afterMs: 0 },
      { how: 'pushBack', call: 9, afterMs: 0 },
      { how: 'deleteConfig', call: 20, afterMs: 0 },
      { how: 'kill', call: 60, afterMs: 0 },
    ],
  },
  {
    ...plain,
    what: 'a ConfigMap that is left alone is tracked again right before the first primary is made',
    seed: 1094690200,
    analysis: { stepWeights: [10, 60] },
    strikes: [
      { how: 'blink', call: 40, afterMs: 0 },
      { how: 'dropReference', call: 97, afterMs: 802 },
      { how: 'editOptional', call: 41, afterMs: 0 },
      { how: 'editBinary', call: 72, afterMs: 0 },
      { how: 'editPrimary', call: 119, afterMs: 0 },
      { how: 'deletePrimary', call: 103, afterMs: 0 },
      { how: 'optOut', call: 20, afterMs: 0 },
      { how: 'push', call: 101, afterMs: 0 },
      { how: 'editAndBack', call: 12, afterMs: 0 },
      { how: 'optOut', call: 1, afterMs: 0 },
    ],
  },
  {
    ...plain,
    what: 'an optional ConfigMap comes and goes while no controller runs, and an A/B test is to begin',
    seed: 30,
    analysis: { iterations: 2, match: [{ headers: { user: { exact: 'a' } } }] },
    more: [
      { how: 'recreateScaler', call: 78 },
      { how: 'flashOptional', call: 115 },
      { how: 'recreateScaler', call: 21 },
      { how: 'scaleAndEdit', call: 25 },
    ],
    hasScaler: true,
    aimed: [
      { how: 'blink', step: 'awaitingPrimary', afterMs: 0 },
      { how: 'scale', step: 'settling', afterMs: 0 },
      { how: 'push', step: 'settling', afterMs: 0 },
      { how: 'blink', step: 'awaitingPrimary', afterMs: 0 },
    ],
    strikes: [
      { how: 'kill', call: 115, afterMs: 0 },
      { how: 'editConfigMap', call: 41, afterMs: 2431 },
      { how: 'blink', call: 23, afterMs: 9496 },
      { how: 'deleteConfig', call: 20, afterMs: 8146 },
      { how: 'optOut', call: 100, afterMs: 0 },
    ],
  },
  {
    ...plain,
    what: 'an optional ConfigMap comes and goes while no controller runs, and weights are to rise',
    seed: 507603172,
    analysis: { stepWeight: 50, maxWeight: 50 },
    more: [
      { how: 'storm', call: 42 },
      { how: 'flashOptional', call: 44 },
      { how: 'flashOptional', call: 95 },
      { how: 'recreateScaler', call: 72 },
    ],
    hasScaler: true,
    strikes: [
      { how: 'push', call: 57, afterMs: 0 },
      { how: 'pushFirst', call: 41, afterMs: 0 },
    ],
  },
];
