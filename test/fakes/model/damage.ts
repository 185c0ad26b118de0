import { expect } from 'vitest';
import { raw } from '../raw.ts';
import { APP, aModelCanary, type ModelLab, NAMESPACE, targetRef } from './lab.ts';
import { labOf } from './life.ts';

export const plan = { stepWeight: 25, maxWeight: 50 };
export const routeRef = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
export const anchorRef = { apiVersion: 'apps/v1', kind: 'ControllerRevision', name: `${APP}-serin-anchor`, namespace: NAMESPACE };

/** An application whose bootstrap is done; `before` changes what the user had before Serin came. */
export async function initialized(spec: object = {}, before: (lab: ModelLab) => void = () => undefined): Promise<ModelLab> {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application();
  before(lab);
  lab.server.create(aModelCanary(plan, spec));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  return lab;
}

/** A release with a quarter of the traffic on its canary. */
export async function releasing(spec: object = {}): Promise<ModelLab> {
  const lab = await initialized(spec);
  lab.push('2');
  expect(await lab.passUntil(() => weightOf(lab) === 25, 120_000)).toBe(true);
  return lab;
}

export const weightOf = (lab: ModelLab): number | undefined => raw(lab.server.find(routeRef))?.spec.http?.[0]?.route?.[1]?.weight;
export const replicas = (lab: ModelLab, ref = targetRef): number | undefined => raw(lab.server.find(ref))?.spec.replicas;
export const ended = (lab: ModelLab) => lab.passUntil(() => lab.phase() === 'Succeeded' || lab.phase() === 'Failed', 300_000);
