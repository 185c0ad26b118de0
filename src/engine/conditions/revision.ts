import type { Input } from '../context.ts';
import { areSameConfigs, decidesPods, wereWrittenBetween } from '../pin.ts';
import { hasHooks } from '../strategy.ts';
import { isRefused } from './hold-ups.ts';

const target = ({ event }: Input) => event.facts.target;

/** The target is neither the recorded nor the promoted revision. */
export function isNew({ context, event }: Input): boolean {
  const { revision } = event.facts.target ?? {};
  return revision !== undefined && revision !== context.release.revision && revision !== context.release.promotedRevision;
}

/** The target has a new revision, and no hook has to allow its start. */
export function isNewAndFree(input: Input): boolean {
  return !isRefused(input) && isNew(input) && !hasHooks(input.event.facts.canary, 'confirm-rollout');
}

/** The target has the promoted revision again, instead of the recorded one. */
export function isBack(input: Input): boolean {
  const { revision, promotedRevision } = input.context.release;
  return promotedRevision !== undefined && revision !== promotedRevision && target(input)?.revision === promotedRevision;
}

/** Pods exist that read configs at their start, and it is not known what they have read. */
export function hasReadConfigs(input: Input): boolean {
  const { pods = 0, configs = {}, undetermined } = target(input) ?? {};
  const before = undetermined === undefined ? {} : input.context.release.configs;
  return pods > 0 && Object.values({ ...before, ...configs }).some(decidesPods);
}

/** Pods exist that have read other configs than the present ones, or could have. */
export function hasStalePods(input: Input): boolean {
  const { pods = 0, configs = {} } = target(input) ?? {};
  return pods > 0 && (!areSameConfigs(configs, input.context.release.configs ?? {}) || wereWritten(input));
}

/** Pods of the recorded revision could have read configs other than the recorded ones (E56, E57). */
export function mayHaveReadOthers(input: Input): boolean {
  return (target(input)?.pods ?? 0) > 0 && (wereWritten(input) || isPinnedBlindly(input));
}

/** Configs were written since the pin, or could have come and gone, and no pod exists that could have read them. */
export function isUnread(input: Input): boolean {
  const { pods, revision, undetermined } = target(input) ?? {};
  return pods === 0 && undetermined === undefined && revision === input.context.release.revision && wereWritten(input);
}

/** The analysis began when the configs could not be read (E57): its pods could have read anything since. */
function isPinnedBlindly(input: Input): boolean {
  const now = target(input);
  const { observedGeneration, revision, configs } = input.context.release;
  if (observedGeneration !== 0 || configs !== undefined || now?.undetermined !== undefined) return false;
  return now?.revision === revision && Object.values(now.configs ?? {}).some(decidesPods);
}

function wereWritten(input: Input): boolean {
  return wereWrittenBetween(target(input)?.configs ?? {}, input.context.release.configs ?? {});
}
