import type { Canary } from '../../api/canary.ts';
import { asKnativeService } from '../../api/kinds/knative-service.ts';
import {
  knativeApiVersion,
  knativeRevisionId,
  type MadeAgain,
  madeAgainAnnotation,
  madeAgainOf,
  primaryRevisionAnnotation,
} from '../../api/knative.ts';
import { type KubeObject, type Slim, slimRef } from '../../api/kube-object.ts';
import { namedSelectors } from '../../api/selector-label.ts';
import { changeOf, type JsonPatchOperation, type PrimarySpec, type Sides, type WatchedObjects, type Workload } from '../workload.ts';
import { latestCreated, latestServing, primaryRevision, revisionRef, revisionState } from './revisions.ts';

/** The promoted value: a name, and the Service that the Revision belongs to, if a former Service had Revisions of the same names. */
interface PromotedRevision extends PrimarySpec {
  primaryRevision: string;
  serviceUid?: MadeAgain;
}

/** Knative Service. It has no primary object: Revisions are both sides, and an annotation names the promoted one. */
export const knative: Workload = {
  hasPods: false,
  targetRef: (canary) =>
    slimRef({ apiVersion: knativeApiVersion, kind: 'Service', name: canary.spec.targetRef.name, namespace: canary.metadata.namespace }),
  primaryRef: (canary) => knative.targetRef(canary),
  watches: (canary) => [
    knative.targetRef(canary),
    { apiVersion: knativeApiVersion, kind: 'Revision', name: '', namespace: canary.metadata.namespace },
  ],
  slim(object) {
    const { template: _template, ...spec } = asKnativeService(object).spec ?? {};
    return { ...object, spec };
  },
  sides,
  isMisnamed(primary, watched) {
    const name = primaryRevision(primary);
    return name !== undefined && watched.find(revisionRef(primary, name)) === undefined;
  },
  // Knative labels and selects its pods by itself.
  selectors: namedSelectors,
  measuredAs: latestCreated,
  primaryMeasuredAs: primaryRevision,
  revision: (target) => knativeRevisionId(latestCreated(target) ?? '', madeAgainOf(target)),
  readiness: (service) => {
    const created = latestCreated(service) ?? 'the first Revision';
    return answersByNewest(service)
      ? { state: 'ready', ready: 1, wanted: 1 }
      : { state: 'waiting', ready: 0, wanted: 1, reason: `${created} is not ready yet, and an older Revision would answer` };
  },
  isServing: answersByNewest,
  replicas: () => 1,
  scalePatch: () => undefined,
  scaleUpTarget: () => 1,
  originals: (target) => ({ replicas: 1, traffic: asKnativeService(target).spec?.traffic ?? null }),
  restorePatch(target, originals) {
    const { resourceVersion } = target.metadata;
    return {
      metadata: { resourceVersion, annotations: { [primaryRevisionAnnotation]: null, [madeAgainAnnotation]: null } },
      spec: { traffic: Array.isArray(originals.traffic) ? originals.traffic : [{ latestRevision: true, percent: 100 }] },
    };
  },
  renderPrimary(canary, target, _options, promoted) {
    const { primaryRevision, serviceUid } = (promoted ?? {}) as Partial<PromotedRevision>;
    const { apiVersion, kind, name, namespace } = knative.targetRef(canary);
    const madeAgain = madeAgainOf(target, canary.status?.release);
    // Nothing of a former Service can serve: as at the arrival of a Canary, the primary is what answers.
    const serving = serviceUid === madeAgain ? (primaryRevision ?? latestServing(target)) : latestServing(target);
    const annotations = {
      ...(serving !== undefined && { [primaryRevisionAnnotation]: serving }),
      ...(madeAgain !== undefined && { [madeAgainAnnotation]: madeAgain }),
    };
    return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }), annotations } };
  },
  primaryTemplate: (_canary, target) => promotedAs(latestCreated(target), target),
  promotedPart: (primary) => promotedAs(primaryRevision(primary), primary),
  carries(primary) {
    const name = primaryRevision(primary);
    return name === undefined ? undefined : knativeRevisionId(name, madeAgainOf(primary));
  },
  promotionPatch,
  templateMatches(answer, rendered) {
    return primaryRevision(answer) === rendered.primaryRevision ? undefined : `metadata.annotations.${primaryRevisionAnnotation}`;
  },
  adopts: (primary, rendered) => primaryRevision(primary) === rendered.primaryRevision,
  held: (primary) => promotedAs(primaryRevision(primary), primary),
};

function promotedAs(name: string | undefined, service: Slim): PromotedRevision {
  const serviceUid = madeAgainOf(service);
  return { primaryRevision: name ?? '', ...(serviceUid !== undefined && { serviceUid }) };
}

/**
 * Traffic that follows the newest Revision goes to it, and not to an older Revision, which perhaps was never promoted (I19). A Service without a
 * primary follows it already.
 */
function answersByNewest(service: Slim): boolean {
  if (latestServing(service) === undefined) return false;
  return primaryRevision(service) === undefined || latestServing(service) === latestCreated(service);
}

function sides(canary: Canary, watched: WatchedObjects): Sides {
  const { object: service, commit } = watched.find(knative.targetRef(canary)) ?? {};
  const canaryName = service && latestCreated(service);
  if (!service || canaryName === undefined) return {};
  const stateOf = (name: string) => revisionState(watched.find(revisionRef(service, name))?.object, name);
  const primaryName = primaryRevision(service);
  const madeAgain = madeAgainOf(service, canary.status?.release);
  return {
    // No generation: each change of traffic moves it too.
    target: {
      ...stateOf(canaryName),
      ...(commit !== undefined && { commit }),
      uid: service.metadata.uid ?? '',
      revision: knativeRevisionId(canaryName, madeAgain),
    },
    ...(primaryName !== undefined && { primary: { ...stateOf(primaryName), carries: knativeRevisionId(primaryName, madeAgain) } }),
  };
}

function promotionPatch(primary: KubeObject, spec: PrimarySpec): JsonPatchOperation[] {
  const { resourceVersion, annotations } = primary.metadata;
  const path = '/metadata/annotations';
  const own = `${path}/${primaryRevisionAnnotation.replaceAll('/', '~1')}`;
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    ...(annotations
      ? changeOf(own, annotations[primaryRevisionAnnotation], spec.primaryRevision)
      : changeOf(path, undefined, { [primaryRevisionAnnotation]: spec.primaryRevision })),
  ];
}
