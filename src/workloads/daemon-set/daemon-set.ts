import { asDaemonSet } from '../../api/kinds/daemon-set.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { resolveSelectors } from '../../api/selector-label.ts';
import { configReferences } from '../configs/references.ts';
import { podSelector } from '../label-selector.ts';
import { adoptsPods } from '../pods/adopts.ts';
import { flaggerSpec } from '../pods/flagger-template.ts';
import { promotionPatch } from '../pods/promotion-patch.ts';
import { heldPods, primarySpec, renderPrimary } from '../pods/render-primary.ts';
import { carriedRevision, templateRevision } from '../pods/revision.ts';
import { besideRef, ownRef, podSides } from '../pods/sides.ts';
import { slimPodWorkload } from '../pods/slim.ts';
import { templateMatches } from '../pods/template-matches.ts';
import type { PrimarySpec, Workload } from '../workload.ts';
import { daemonSetReadiness, leavingForMs, podsAskedFor, podsLeft, updatedPods } from './readiness.ts';
import { SCALE_TO_ZERO, unscaled, withoutScaleToZero } from './scale-to-zero.ts';

/** Counted by the API server with each write of another template, our own scaling included; other writers cannot set it. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** apps/v1 DaemonSet. Its pods are stopped by a key in its node selector, which is never part of a revision. */
export const daemonSet: Workload = {
  hasPods: true,
  targetRef: (canary) => ownRef('apps/v1', canary),
  primaryRef: (canary) => besideRef('apps/v1', canary),
  watches: (canary) => [daemonSet.targetRef(canary), daemonSet.primaryRef(canary)],
  podSelector,
  slim(object) {
    const { nodeSelector, terminationGracePeriodSeconds } = asDaemonSet(object).spec?.template?.spec ?? {};
    const slim = slimPodWorkload(object);
    Object.assign(slim.spec.template.spec, nodeSelector && { nodeSelector }, { terminationGracePeriodSeconds });
    return slim;
  },
  sides: (canary, watched) => podSides(daemonSet, canary, watched),
  selectors: resolveSelectors,
  refuses(target) {
    const { type = 'RollingUpdate' } = asDaemonSet(target).spec?.updateStrategy ?? {};
    if (type === 'RollingUpdate') return undefined;
    const field = 'spec.updateStrategy.type';
    return { problem: `DaemonSet ${target.metadata.name}: ${field} ${type} never replaces its pods; set it to RollingUpdate`, field };
  },
  revision: (target) => templateRevision(withoutScaleToZero(asDaemonSet(target).spec.template)),
  rollout: (target) => target.metadata.annotations?.[TEMPLATE_GENERATION],
  configs: (target) => configReferences(asDaemonSet(target).spec.template.spec),
  pods: podsLeft,
  readiness: daemonSetReadiness,
  updatedPods,
  isServing: (object) => (asDaemonSet(object).status?.numberAvailable ?? 0) >= 1,
  replicas: podsAskedFor,
  leavingForMs,
  scalePatch(object, replicas) {
    const { resourceVersion } = object.metadata;
    const nodeSelector = { [SCALE_TO_ZERO]: replicas > 0 ? null : 'true' };
    return { patch: { metadata: { resourceVersion }, spec: { template: { spec: { nodeSelector } } } } };
  },
  scaleUpTarget: (target) => Math.max(1, podsAskedFor(target)),
  originals: (target) => ({ replicas: Math.max(1, podsAskedFor(target)) }),
  renderPrimary: (canary, target, options, promoted) => renderPrimary(canary, unscaled(target), options, promoted),
  primaryTemplate: (canary, target, options) => primarySpec(canary, unscaled(target), options),
  promotedPart,
  carries: carriedRevision,
  promotionPatch,
  templateMatches,
  flaggerTemplate: (target, options) => flaggerSpec(unscaled(target), options, { spreads: false }),
  // A primary that was made while the target was scaled down keeps our key.
  adopts: (primary, rendered) => adoptsPods(unscaled(primary), rendered),
  held: (primary, revision) => heldPods(unscaled(primary), revision),
};

function promotedPart(primary: KubeObject): PrimarySpec {
  const { selector: _selector, ...spec } = asDaemonSet(primary).spec;
  return spec;
}
