import { asPod, type Pod } from '../../api/kinds/pod.ts';
import { asPodDisruptionBudget, type PodDisruptionBudget } from '../../api/kinds/pod-disruption-budget.ts';
import { disruptionAllowed, isUnder, withCondition } from '../controllers/disruption-budget.ts';
import { isPodReady } from '../controllers/pods.ts';
import type { Api } from './api.ts';
import { checkPreconditions } from './deletion.ts';
import { clone, type Json } from './json.ts';
import type { Resource } from './resources.ts';
import { badRequest, forbidden, StatusError } from './status.ts';
import { type DeleteOptions, internalWrite } from './write-context.ts';

/** Evictions that the disruption controller has not seen done. */
const MOST_DISRUPTED = 2000;
/** States of a pod that its end disrupts nothing in. */
const FREE_PHASES = ['Succeeded', 'Failed', 'Pending'];

/** Deletes a pod where its PodDisruptionBudget allows it. Source: kube-apiserver, pkg/registry/core/pod/storage/eviction.go. */
export function evict(api: Api, pods: Resource, namespace: string, name: string, body: Json, isDryRun: boolean): void {
  const pod = asPod(api.get(pods, namespace, name));
  if (body?.metadata?.name !== name) throw badRequest('name in URL does not match name in Eviction object');
  const given: DeleteOptions & { dryRun?: unknown } = body?.deleteOptions ?? {};
  const options: DeleteOptions = { ...given, dryRun: isDryRun || (Array.isArray(given.dryRun) && given.dryRun.includes('All')) };
  const isFree = FREE_PHASES.includes(pod.status?.phase ?? '') || pod.metadata.deletionTimestamp !== undefined;
  if (!isFree) spend(api, pod, options.dryRun === true);
  checkPreconditions(pods, pod, options);
  if (options.dryRun !== true) {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    };
    const marked = clone(pod);
    marked.status = { ...marked.status, conditions: withCondition(marked.status?.conditions, condition, api.time()) };
    const { resourceVersion } = api.update(pods, namespace, name, marked, { ...internalWrite, subresource: 'status' }).metadata;
    if (options.preconditions?.resourceVersion === pod.metadata.resourceVersion && resourceVersion !== undefined)
      options.preconditions = { ...options.preconditions, resourceVersion };
  }
  api.delete(pods, namespace, name, options);
}

/** Takes one disruption of the budget of a pod, or refuses. */
function spend(api: Api, pod: Pod, isDryRun: boolean): void {
  const [budget, another] = budgetsOf(api, pod);
  if (budget === undefined) return;
  if (another !== undefined)
    throw new StatusError(500, '', 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
  const { metadata, spec, status = {} } = budget;
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, disruptedPods = {} } = status;
  // The budget does not count an unready pod.
  const isSpare = spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
  if (!isPodReady(pod) && isSpare) return;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    throw tooMany(`The disruption budget ${metadata.name} is still being processed by the server.`, 10);
  if (Object.keys(disruptedPods).length > MOST_DISRUPTED)
    throw forbidden(
      { group: 'policy', plural: 'poddisruptionbudget', kind: 'PodDisruptionBudget' },
      metadata.name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  if (disruptionsAllowed === 0) throw tooMany(whyNone(budget));
  if (isDryRun) return;
  const left = {
    ...status,
    disruptionsAllowed: disruptionsAllowed - 1,
    disruptedPods: { ...disruptedPods, [pod.metadata.name]: api.time() },
  };
  if (left.disruptionsAllowed === 0) left.conditions = disruptionAllowed(left.conditions, left, api.time());
  const resource = budgets(api);
  const context = { ...internalWrite, subresource: 'status' };
  api.update(resource, metadata.namespace ?? '', metadata.name, { ...clone(budget), status: left }, context);
}

function budgets(api: Api): Resource {
  const found = api.resources.find('policy', 'v1', 'poddisruptionbudgets');
  if (found === undefined) throw new Error('policy/v1 PodDisruptionBudget is a built-in kind');
  return found;
}

const budgetsOf = (api: Api, pod: Pod): PodDisruptionBudget[] =>
  api.store
    .list('policy/poddisruptionbudgets')
    .map(([, object]) => asPodDisruptionBudget(object))
    .filter((budget) => isUnder(budget, pod));

function whyNone({ metadata: { name }, status = {} }: PodDisruptionBudget): string {
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = status;
  const denied = conditions.find((each) => each.type === 'DisruptionAllowed' && each.status === 'False' && each.message);
  if (denied?.reason === 'SyncFailed')
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${denied.message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const why = denied ? ` (${denied.reason}): ${denied.message}` : '';
  return `The disruption budget ${name} does not allow evicting pods currently${why}`;
}

const tooMany = (message: string, retryAfterSeconds?: number): StatusError =>
  new StatusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
