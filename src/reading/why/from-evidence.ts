import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { comparedStates } from '../../engine/comparison/compared-state.ts';
import { helpText } from '../../engine/comparison/words.ts';
import type { CanarySnapshot } from '../snapshot.ts';
import { fieldProof, type Trouble, toSet } from './finding.ts';

/** The comparison with the primary that has not shown enough for the next step, with the changes that would make it faster. */
export function fromEvidence({ raw }: CanarySnapshot, canary: Canary, release: Release): Trouble | undefined {
  const { awaitedEvidence, reason, blockers = [] } = release;
  const state = comparedStates(release, canary).find(({ metric }) => metric.name === awaitedEvidence);
  if (state === undefined) return undefined;
  const blocker = blockers.find(({ code }) => code === 'InsufficientEvidence');
  const { helpfulWeight } = state.judgement.toDecide ?? {};
  return {
    cause: 'InsufficientEvidence',
    proof: [
      fieldProof(raw, 'status.release.reason', reason),
      ...(blocker?.until === undefined ? [] : [fieldProof(raw, 'status.release.blockers[InsufficientEvidence].until', blocker.until)]),
    ],
    action: helpText(state),
    ...(helpfulWeight === undefined ? {} : { change: toSet(raw, 'spec.analysis.stepWeights') }),
  };
}
