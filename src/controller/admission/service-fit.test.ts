import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';
import { Phase } from '../../api/phase.ts';
import { deployment } from '../../workloads/deployment/deployment.ts';
import { ServiceFit } from './service-fit.ts';

const promoted = { type: 'Promoted', status: 'Unknown', reason: 'x', observedGeneration: 1 } as unknown as CanaryCondition;
const refused = { type: 'Accepted', status: 'False', reason: 'InvalidSpec' } as unknown as CanaryCondition;

/** True if the Services of a Canary with this status are looked at. */
async function isLookedAt(phase: Phase, conditions: CanaryCondition[], generation = 1): Promise<boolean> {
  let isAsked = false;
  const ready = async () => {
    isAsked = true;
    throw new Error('not needed');
  };
  const canary = aCanary();
  const status = { phase, failedChecks: 0, canaryWeight: 0, iterations: 0, conditions };
  const admitted = { canary: { ...canary, metadata: { ...canary.metadata, generation }, status }, workload: deployment };
  const fit = new ServiceFit({ view: { ready }, cluster: {} } as never);
  await fit.refusalOf(admitted as never, new AbortController().signal).catch(() => undefined);
  return isAsked;
}

it.each(Phase.options)(
  'I14: the Services of a Canary in %s are looked at before the first write, and not while it runs by its spec',
  async (phase) => {
    expect(await isLookedAt(phase, [promoted])).toBe(phase === '' || phase === 'Initializing');
    expect(await isLookedAt(phase, [])).toBe(true);
    expect(await isLookedAt(phase, [promoted], 2)).toBe(true);
    expect(await isLookedAt(phase, [promoted, refused])).toBe(true);
  },
);
