import { expect } from 'vitest';
import { raw } from '../raw.ts';
import { APP, aDeployment, aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from './lab.ts';
import { labOf } from './life.ts';

export const serviceRef = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE };
export const GRACE_MS = 300_000;
export const plan = { stepWeight: 50, maxWeight: 50 };

/** An application under release: `version` 2 is promoted, version 1 was what it began with. */
export async function promoted(spec: object = {}, hasService = true): Promise<ModelLab> {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService });
  await lab.application(hasService);
  lab.server.create(aModelCanary(plan, spec));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  await lab.pass(30_000);
  return lab;
}

/** Objects that `kubectl delete -f` of the manifests deletes. */
export const manifests = {
  canary: (lab: ModelLab) => lab.server.delete(canaryRef),
  target: (lab: ModelLab) => {
    lab.watched = false;
    lab.server.delete(targetRef);
  },
  service: (lab: ModelLab) => {
    lab.watched = false;
    lab.server.delete(serviceRef);
  },
};
export type Manifest = keyof typeof manifests;

/** The same manifests again, as `kubectl apply -f` makes them. */
export const makers = {
  canary: (lab: ModelLab) => lab.server.create(aModelCanary(plan)),
  target: (lab: ModelLab, version = '3') => lab.server.create(aDeployment(version)),
  service: (lab: ModelLab) =>
    lab.server.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: APP, namespace: NAMESPACE },
      spec: { selector: { app: APP }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    }),
};

/** All that is left in the namespace, but for events, as `Kind/name`. */
export function left(lab: ModelLab): string[] {
  const { store } = lab.server.api;
  return store
    .storeKeys()
    .filter((key) => !/events$/.test(key))
    .flatMap((key) =>
      store.list(key).flatMap(([, { kind, metadata }]) => (metadata.namespace === NAMESPACE ? `${kind}/${metadata.name}` : [])),
    )
    .toSorted();
}

export const imageOf = (lab: ModelLab, ref = primaryRef): string | undefined =>
  raw(lab.server.find(ref))?.spec.template.spec.containers[0].image;
export const eventsOf = (lab: ModelLab, reason: string) =>
  lab.server.api.store.list('/events').flatMap(([, event]) => (event.reason === reason ? [String(event.message)] : []));
