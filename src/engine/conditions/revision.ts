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

/** The same, and nothing asks whether it may start. */
export function isNewAndFree(input: Input): boolean {
  return !isRefused(input) && isNew(input) && !hasHooks(input.event.facts.canary, 'confirm-rollout');
}

/** The promoted revision is in the target again, instead of the recorded one. */
export function isBack(input: Input): boolean {
  const { revision, promotedRevision } = input.context.release;
  return promotedRevision !== undefined && revision !== promotedRevision && target(input)?.revision === promotedRevision;
}

/** Pods exist, and what they have read when they started is not known. */
export function hasReadConfigs(input: Input): boolean {
  const { pods = 0, configs = {}, undetermined } = target(input) ?? {};
  const before = undetermined === undefined ? {} : input.context.release.configs;
  return pods > 0 && Object.values({ ...before, ...configs }).some(decidesPods);
}

/** Pods exist that have read other configs than the ones that are there now, or may have. */
export function hasStalePods(input: Input): boolean {
  const { pods = 0, configs = {} } = target(input) ?? {};
  return pods > 0 && (!areSameConfigs(configs, input.context.release.configs ?? {}) || wereWritten(input));
}

/** The pods of the recorded revision may have read configs that are not the recorded ones (E56, E57). */
export function mayHaveReadOthers(input: Input): boolean {
  return (target(input)?.pods ?? 0) > 0 && (wereWritten(input) || isPinnedBlindly(input));
}

/** Configs were written since the pin, or may have come and gone, and no pod exists that could have read them. */
export function isUnread(input: Input): boolean {
  const { pods, revision, undetermined } = target(input) ?? {};
  return pods === 0 && undetermined === undefined && revision === input.context.release.revision && wereWritten(input);
}

/** The analysis began when the configs could not be read (E57): its pods may have read anything since. */
function isPinnedBlindly(input: Input): boolean {
  const now = target(input);
  const { observedGeneration, revision, configs } = input.context.release;
  if (observedGeneration !== 0 || configs !== undefined || now?.undetermined !== undefined) return false;
  return now?.revision === revision && Object.values(now.configs ?? {}).some(decidesPods);
}

function wereWritten(input: Input): boolean {
  return wereWrittenBetween(target(input)?.configs ?? {}, input.context.release.configs ?? {});
}
