import { error, type Finding, warning } from '../../../api/finding.ts';
import { groupOf, type KubeObject } from '../../../api/kube-object.ts';
import { names } from '../../../api/names.ts';
import { lossText } from '../../../arrival/arrival.ts';
import { readKinds } from '../../../arrival/kinds.ts';
import type { ArrivalPlan } from '../../../arrival/plan.ts';
import { planFor } from '../../../arrival/plan-for.ts';
import { companionNames } from '../../../workloads/companions/kind-names.ts';
import { findItem, perCanary } from '../manifests.ts';

/** What would stop to know the application as its Canary arrives, by all objects of the files (I17). One whose primary is among them has arrived. */
export const arrival = perCanary(({ canary, namespace, place, provider }, { items, selectorLabels, unread }) => {
  const { kind, name } = canary.spec.targetRef;
  if (!place || (kind !== 'Deployment' && kind !== 'DaemonSet')) return [];
  const find = (workload: string) => findItem({ items }, { kind, group: 'apps', name: workload, namespace })?.object;
  const target = find(name);
  if (target === undefined) return [];
  const primary = find(names(canary).primary);
  const placed = items.flatMap((one) => (isRead(one.object) ? inNamespace(one.object, one.namespace ?? namespace) : []));
  const of = inNamespace(target, namespace);
  const settings = { selectorLabels, companions: companionNames, provider, mode: 'refuse', isServing: primary !== undefined } as const;
  const read = {
    target: of,
    primary: primary && inNamespace(primary, namespace),
    objects: placed,
    unread: unread.get(namespace ?? '') ?? [],
  };
  const homed = { ...canary, metadata: { ...canary.metadata, namespace: namespace ?? '' } };
  const plan = planFor(homed, read, settings);
  if (plan === undefined || 'problem' in plan) return [];
  const losses = plan.losses.map((loss): Finding => {
    const message = lossText(loss, homed.metadata.namespace);
    return loss.isRefused ? error('spec.targetRef', message) : warning('spec.targetRef', message);
  });
  return [...losses, ...notChecked(plan.unchecked)];
});

function notChecked(kinds: ArrivalPlan['unchecked']): Finding[] {
  if (kinds.length === 0) return [];
  const named = kinds.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`).join(', ');
  const remedy = 'run it as a user who may list them in all namespaces, or ask one to';
  return [warning('spec.targetRef', `not checked for what would be lost: ${named}, which may not be listed: ${remedy}`)];
}

/** Files may hold anything: only kinds that an arrival looks at, and that have a name. */
function isRead({ apiVersion, kind, metadata, spec }: KubeObject): boolean {
  const isNamed = typeof metadata === 'object' && metadata !== null && typeof metadata.name === 'string';
  const isKind = readKinds.some((one) => one.kind === kind && one.group === groupOf(String(apiVersion)));
  return isNamed && isKind && typeof spec === 'object' && spec !== null;
}

const inNamespace = (object: KubeObject, namespace = ''): KubeObject => ({ ...object, metadata: { ...object.metadata, namespace } });
