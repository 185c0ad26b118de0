import fc from 'fast-check';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { seededRandom } from '../../../src/embedded/mesh/random.ts';
import { APP, aModelCanary, ModelLab } from './lab.ts';

const PLANS = {
  istio: [
    { stepWeight: 50, maxWeight: 50 },
    { stepWeights: [10, 60], stepWeightPromotion: 40 },
    { iterations: 2, match: [{ headers: { user: { exact: 'a' } } }] },
    { iterations: 2 },
    { stepWeight: 100, mirror: true },
  ],
  'smi:v1alpha2': [{ stepWeight: 50 }, { stepWeight: 100, stepWeightPromotion: 50 }],
  kubernetes: [{ iterations: 2 }],
} as const;
export const providers = Object.keys(PLANS) as (keyof typeof PLANS)[];

/** Drawn parameters of a life: all its delays follow from the seed. */
export const aLife = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 - 2 }),
  provider: fc.constantFrom(...providers),
  delayMs: fc.integer({ min: 1_000, max: 8_000 }),
  plan: fc.nat(),
  /** The user has an apex Service; without one Serin makes it. */
  hasService: fc.boolean(),
});
export interface Life {
  seed: number;
  provider: keyof typeof PLANS;
  delayMs: number;
  plan: number;
  hasService: boolean;
}

/** Proxies learn of every change before a side that lost its traffic goes, and no sooner than that. */
export function labOf(
  { seed, delayMs }: Life,
  lagMs: [number, number] = [0, delayMs],
): { lab: ModelLab; draw: (from: number, to: number) => number } {
  const draw = drawer(seed);
  return { lab: new ModelLab({ draw, startUpMs: [200, 12_000], lagMs, latencyMs: [0, 200], scaleDownDelayMs: delayMs }), draw };
}

/** On Istio, with an application as users have it before Serin. */
export async function labWithApp(seed = 5): Promise<ModelLab> {
  const { lab } = labOf({ seed, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application();
  return lab;
}

export function canaryOf({ provider, plan }: Life, spec: object = {}, name = APP): KubeObject {
  const plans = PLANS[provider];
  return aModelCanary(plans[plan % plans.length], { provider, ...spec }, name);
}

/** Numbers from one seed: at least `from`, below `to`. */
export function drawer(seed: number): (from: number, to: number) => number {
  const random = seededRandom(seed);
  return (from, to) => from + Math.floor(random() * (to - from));
}
