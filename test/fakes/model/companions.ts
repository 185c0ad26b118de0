import type { KubeObject, Labels, ObjectRef } from '../../../src/api/kube-object.ts';
import type { ControllerConfig } from '../../../src/controller/config.ts';
import { raw } from '../raw.ts';
import { ordersTemplate } from './journals.ts';
import { APP, aModelCanary, type ModelLab, NAMESPACE } from './lab.ts';
import { labOf } from './life.ts';
import { awaitEnd, ordersPlan } from './released.ts';

const kindOf =
  (apiVersion: string, kind: string) =>
  (name: string): ObjectRef => ({ apiVersion, kind, name, namespace: NAMESPACE });
export const budget = kindOf('policy/v1', 'PodDisruptionBudget');
export const policy = kindOf('networking.k8s.io/v1', 'NetworkPolicy');
export const vpa = kindOf('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler');

const made = ({ apiVersion, kind, name, namespace = '' }: ObjectRef, spec: object): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, namespace },
  spec,
});
export const aBudget = (name = APP, labels: Labels = { app: APP }, spec: object = { minAvailable: 1 }): KubeObject =>
  made(budget(name), { ...spec, selector: { matchLabels: labels } });
export const aPolicy = (name = APP, labels: Labels = { app: APP }, spec: object = {}): KubeObject =>
  made(policy(name), { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'], ...spec });
export const aVpa = (name = APP, target = APP): KubeObject =>
  made(vpa(name), { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target }, updatePolicy: { updateMode: 'Initial' } });
/** A database that the application calls. */
export const ofDatabase = (): KubeObject =>
  aPolicy('db', { app: 'db' }, { ingress: [{ from: [{ podSelector: { matchLabels: { app: APP } } }] }] });

/** Serves the kind, where the model does not do so by itself. */
export function serve(lab: ModelLab, { apiVersion, kind }: ObjectRef, plural: string): void {
  if (lab.server.api.resources.byKind(apiVersion, kind)) return;
  const [group = '', name = ''] = apiVersion.split('/');
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  lab.server.create({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced' },
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name, served: true, storage: true, schema }],
    },
  });
}

/** A living application with these objects, before its Canary. */
export async function applicationWith(objects: readonly KubeObject[]): Promise<ModelLab> {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  serve(lab, policy(''), 'networkpolicies');
  serve(lab, vpa(''), 'verticalpodautoscalers');
  await lab.application();
  lab.server.create(ordersTemplate);
  for (const object of objects) lab.server.create(object);
  return lab;
}

/** The same when its Canary is initialized, under these flags. */
export async function initializedWith(
  objects: readonly KubeObject[],
  flags: Partial<ControllerConfig> = {},
  spec: object = {},
): Promise<ModelLab> {
  const lab = await applicationWith(objects);
  lab.server.create(aModelCanary(ordersPlan, spec));
  lab.start(() => true, flags);
  await awaitEnd(lab, 'Initialized');
  await lab.pass(30_000);
  return lab;
}

export const specAt = (lab: ModelLab, ref: ObjectRef) => raw(lab.server.find(ref))?.spec;
/** Names of all objects of the kind. */
export const namesOf = (lab: ModelLab, { apiVersion, kind }: ObjectRef): string[] =>
  lab.server.api.store.list(lab.server.resource(apiVersion, kind).storeKey).map(([, { metadata }]) => metadata.name);
