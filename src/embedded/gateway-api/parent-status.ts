import { specOf, statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ParentReference } from '../../api/service-spec.ts';
import { attachmentTo, namesGateway, namesService, parentRefsOf } from './attachment.ts';
import { type BackendRef, backendProblem, type RouteSurroundings } from './backend-problem.ts';

interface ParentCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}
export interface ParentStatus {
  parentRef: ParentReference;
  controllerName: string;
  conditions: ParentCondition[];
}

/** The names of the two controllers that this folder replaces. */
export const GATEWAY_CONTROLLER = 'serin.dev/embedded-gateway';
export const MESH_CONTROLLER = 'serin.dev/embedded-mesh';

interface KnownRoutes extends RouteSurroundings {
  gateways(): readonly KubeObject[];
}

/**
 * The status that the controllers of this cluster write to a route, one entry for each parent that they know. A Gateway that does not exist
 * gets no entry. A mesh writes no `observedGeneration`, as Linkerd's controller does (linkerd2 #14964).
 */
export function parentStatuses(route: KubeObject, known: KnownRoutes, nowText: string): ParentStatus[] {
  const { generation = 0, namespace = '' } = route.metadata;
  const { parents: before = [] } = statusOf<{ parents: ParentStatus[] }>(route);
  const resolved = resolvedRefs(route, known);
  return parentRefsOf(route).flatMap((parentRef) => {
    const judged = conditionsOn(parentRef);
    if (!judged) return [];
    const { controllerName, accepted, observedGeneration } = judged;
    const last = before.find((one) => one.controllerName === controllerName && isSame(one.parentRef, parentRef, namespace));
    const conditions = [
      { type: 'Accepted', ...accepted },
      { type: 'ResolvedRefs', ...resolved },
    ].map((condition) => ({
      ...condition,
      lastTransitionTime: sinceWhen(last, condition) ?? nowText,
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
    }));
    return [{ parentRef, controllerName, conditions }];
  });

  function conditionsOn(parentRef: ParentReference) {
    if (namesService(parentRef)) {
      const isThere = known.service(parentRef.namespace ?? namespace, parentRef.name) !== undefined;
      const accepted = isThere ? yes('Accepted') : no('NoMatchingParent', 'the Service was not found');
      return { controllerName: MESH_CONTROLLER, accepted, observedGeneration: undefined };
    }
    const gateway = known.gateways().find((one) => namesGateway(parentRef, route, one));
    if (!gateway) return undefined;
    const attachment = attachmentTo(gateway, route, parentRef);
    const accepted = 'refused' in attachment ? no(attachment.refused, attachment.message) : yes('Accepted');
    return { controllerName: GATEWAY_CONTROLLER, accepted, observedGeneration: generation };
  }
}

const yes = (reason: string) => ({ status: 'True', reason, message: '' });
const no = (reason: string, message: string) => ({ status: 'False', reason, message });

interface RouteRule {
  backendRefs?: BackendRef[];
  filters?: { requestMirror?: { backendRef: BackendRef } }[];
}

function resolvedRefs(route: KubeObject, known: RouteSurroundings) {
  for (const { backendRefs = [], filters = [] } of specOf<{ rules: RouteRule[] }>(route).rules ?? []) {
    for (const ref of [...backendRefs, ...filters.flatMap(({ requestMirror }) => requestMirror?.backendRef ?? [])]) {
      const problem = backendProblem(ref, route, known);
      if (problem !== undefined) return no(problem, `backend ${ref.name}`);
    }
  }
  return yes('ResolvedRefs');
}

function sinceWhen(last: ParentStatus | undefined, { type, status }: { type: string; status: string }): string | undefined {
  return last?.conditions.find((one) => one.type === type && one.status === status)?.lastTransitionTime;
}

function isSame(one: ParentReference, other: ParentReference, home: string): boolean {
  const key = ({ group, kind, namespace, name, sectionName, port }: ParentReference) =>
    JSON.stringify([group, kind, namespace ?? home, name, sectionName, port]);
  return key(one) === key(other);
}
