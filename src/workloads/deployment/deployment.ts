import { asDeployment } from '../../api/kinds/deployment.ts';
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
import type { Workload } from '../workload.ts';
import { deploymentReadiness, podsLeft, replicasOf, updatedPods } from './readiness.ts';
import { hasCountedTemplate, revisionNumber } from './revision-number.ts';

/** apps/v1 Deployment. */
export const deployment: Workload = {
  hasPods: true,
  targetRef: (canary) => ownRef('apps/v1', canary),
  primaryRef: (canary) => besideRef('apps/v1', canary),
  watches: (canary) => [deployment.targetRef(canary), deployment.primaryRef(canary)],
  podSelector,
  slim: slimPodWorkload,
  sides: (canary, watched) => podSides(deployment, canary, watched),
  selectors: resolveSelectors,
  revision: (target) => templateRevision(asDeployment(target).spec.template),
  rollout: revisionNumber,
  hasCounted: hasCountedTemplate,
  configs: (target) => configReferences(asDeployment(target).spec.template.spec),
  pods: podsLeft,
  readiness: deploymentReadiness,
  updatedPods,
  isServing: (object) => (asDeployment(object).status?.availableReplicas ?? 0) >= 1,
  replicas: replicasOf,
  // Other writers set replicas: never inside an apply, and no resourceVersion, since two writers of it do not disturb each other.
  scalePatch: (_object, replicas) => ({ patch: { spec: { replicas } }, subresource: 'scale' }),
  scaleUpTarget(target, primary) {
    const own = replicasOf(target);
    return own > 0 ? own : Math.max(1, primary ? replicasOf(primary) : 1);
  },
  originals: (target) => ({ replicas: replicasOf(target) }),
  renderPrimary(canary, target, options, promoted) {
    const primary = asDeployment(renderPrimary(canary, target, options, promoted));
    return { ...primary, spec: { ...primary.spec, replicas: Math.max(1, options.replicas) } };
  },
  primaryTemplate: primarySpec,
  promotedPart(primary) {
    const { replicas: _replicas, selector: _selector, ...spec } = asDeployment(primary).spec;
    return spec;
  },
  carries: carriedRevision,
  promotionPatch,
  templateMatches,
  flaggerTemplate: (target, options) => flaggerSpec(target, options, { spreads: true }),
  adopts: adoptsPods,
  held: heldPods,
};
