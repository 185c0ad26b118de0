import { aCanary, initialized, type World } from './world.ts';

/** Two steps. */
export const steps = { stepWeight: 20, maxWeight: 40 };
/** Plain Services, which can do nothing but switch. */
export const kubernetes = (world: World) => {
  world.supports = { weights: false, mirroring: false, headerMatch: false, sessionAffinity: false };
};
/** Stands in this phase, and at this step. */
export const at = (phase: string, name?: string) => (world: World) => world.phase === phase && (name === undefined || world.step === name);
/** Matches one user. */
export const header = [{ headers: { user: { exact: 'a' } } }];

/** A release that has just reached a weight. */
export function releasing(analysis = {}, weightNow = 20): World {
  const world = initialized(aCanary({ ...steps, ...analysis }));
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === weightNow);
  return world;
}
