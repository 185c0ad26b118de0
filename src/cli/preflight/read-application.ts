import { applierByManager } from '../../api/appliers.ts';
import type { Provider } from '../../api/canary.ts';
import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import { type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { providerOf } from '../../api/mesh-provider.ts';
import { names, ownerAnnotation } from '../../api/names.ts';
import { parseCanary } from '../../api/parse-canary.ts';
import type { ArrivalPlan } from '../../arrival/plan.ts';
import { planFor } from '../../arrival/plan-for.ts';
import { entriesOf } from '../../kube/taken-over-fields.ts';
import { routers } from '../../routers/index.ts';
import type { SplitRoute } from '../../routers/router.ts';
import type { CompanionName } from '../../workloads/companions/index.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { ReadObjectsOf } from './application-reader.ts';
import { differencesOf } from './differences.ts';
import { type Preflight, preflightOf, unusable } from './preflight-document.ts';

/** The settings of the controller that the answer depends on. */
export interface PreflightSettings {
  selectorLabels: readonly string[];
  companions: readonly CompanionName[];
  provider: Provider | undefined;
}

/** The file and line of a field of the Canary. */
export type LineOf = (path: string) => string;

/** Effects of the arrival of one Canary. `lineOf`: lines of its file, if it comes from one. */
export async function preflight(raw: KubeObject, read: ReadObjectsOf, settings: PreflightSettings, lineOf?: LineOf): Promise<Preflight> {
  const { name, namespace = '' } = raw.metadata;
  const of = { namespace, name };
  const parsed = parseCanary(raw);
  if ('problems' in parsed) return unusable(of, parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
  const { canary } = parsed;
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return unusable(of, workload.unsupported);
  const { kind, name: targetName } = canary.spec.targetRef;
  if (!workload.hasPods)
    return unusable(of, `spec.targetRef: ${kind} ${targetName} has no pods of its own, and nothing of it is rewritten`);
  const { objects, unread } = await read(namespace);
  const find = (ref: { apiVersion: string; kind: string; name: string }) =>
    objects.find((one) => refKey(refOf(one)) === refKey({ ...ref, namespace }));
  const target = find(workload.targetRef(canary));
  const primary = find(workload.primaryRef(canary));
  if (target === undefined)
    return unusable(of, `spec.targetRef: ${kind} ${targetName} was not found: create it, or correct spec.targetRef`);
  const named = canary.spec.provider ?? settings.provider;
  const provider = named && providerOf(named);
  const arrived = primary !== undefined && asPodWorkload(primary).spec !== undefined;
  const plan = planFor(canary, { target, primary, objects, unread }, { ...settings, provider, mode: 'refuse', isServing: arrived });
  if (plan === undefined) return unusable(of, `spec.targetRef: ${kind} ${targetName} cannot be checked`);
  if ('problem' in plan) return unusable(of, plan.problem);
  const selectors = workload.selectors({ target, primary }, settings.selectorLabels);
  if ('problem' in selectors) return unusable(of, selectors.problem);
  const label = { key: selectors.key, value: selectors.target };
  const router = provider && routers[provider];
  const carried = router?.carries?.(canary, objects) ?? [];
  const split = router?.splits?.(canary, objects) ?? [];
  const { primaryService, canaryService, apexService } = names(canary);
  return preflightOf(of, plan, {
    arrived,
    objects,
    carried,
    written: [
      ...(namesReplicas(target) ? [target] : []),
      ...objects.filter((one) => one !== target && isWritten(one, plan, apexService, split)),
    ],
    routes: split
      .filter(({ rules }) => rules.length > 0)
      .map(({ on, rules, isSplit }) => ({
        ...{ ...refOf(on), rules: [...rules], destinations: [primaryService, canaryService], done: isSplit },
      })),
    ignored: (router?.ignores?.(canary, objects) ?? []).map(({ path, message }) => ({
      ...{ field: path, ...(lineOf && { line: lineOf(path) }), detail: message },
    })),
    differences: differencesOf({ canary, provider, target, objects, plan, label, carried }),
  });
}

/** Serin writes a field of it: the apex Service, its followers, and a route of its name or of the list, if they are the user's. */
function isWritten(object: KubeObject, { follows }: ArrivalPlan, apex: string, split: readonly SplitRoute[]): boolean {
  const { kind, metadata } = object;
  if (metadata.annotations?.[ownerAnnotation] !== undefined) return false;
  if (kind === 'Service' && follows.some(({ object }) => object.name === metadata.name)) return true;
  return (kind !== 'Deployment' && metadata.name === apex) || split.some(({ on }) => on === object);
}

/** Its manifest has `replicas`: a tool owns the field, or has it in its file. */
function namesReplicas(target: KubeObject): boolean {
  const entries = entriesOf(target);
  if (entries.length === 0) return asPodWorkload(target).spec?.replicas !== undefined;
  return entries.some(
    (one) => applierByManager(one.manager) && (one.fieldsV1 as Fields | undefined)?.['f:spec']?.['f:replicas'] !== undefined,
  );
}

type Fields = { 'f:spec'?: Record<string, unknown> };
