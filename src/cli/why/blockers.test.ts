import { describeEach, type Stall, workload } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import type { Cause } from '../../api/codes/codes.ts';
import type { ObjectRef } from '../../api/kube-object.ts';
import { resolveSelector } from '../../api/selector-label.ts';
import { blockerOf } from '../../controller/admission/blocker-of.ts';
import {
  ConfigCopyError,
  ConfigUnavailableError,
  NameTakenError,
  NoPromotedTemplateError,
  ProviderUnavailableError,
  ScalerNotFoundError,
  TargetUnusableError,
  TemplateLeftoverError,
} from '../../controller/errors.ts';
import { apiErrorOf } from '../../kube/errors.ts';
import { RoutingError } from '../../routers/index.ts';
import { objectMissing } from '../../routers/routing-error.ts';
import { missingConfig, unknownConfig, unreadableConfig } from '../../workloads/configs/read-configs.ts';

/** A blocker of the objects, as an error of the controller carries it. */
function blocked(title: string, error: unknown, cause: Cause, proof: Stall['proof'], action: RegExp, way?: string): Stall {
  return {
    title,
    arrange() {
      const world = initialized(aCanary({ stepWeight: 20 }));
      world.behaviour.blocker = blockerOf(error, 'test') ?? 'unknown';
      world.sendFacts();
      return { world };
    },
    cause,
    proof,
    action,
    ...(way === undefined ? {} : { way }),
    mend({ world }) {
      delete world.behaviour.blocker;
      world.settle();
    },
  };
}

const unread = (problem: ConstructorParameters<typeof ConfigUnavailableError>[0]) => new ConfigUnavailableError(problem);
const refusedWith = (status: number, reason: string, message: string) =>
  apiErrorOf('POST /api/v1', status, JSON.stringify({ kind: 'Status', reason, message }));
const forbidden = (message: string) => refusedWith(403, 'Forbidden', message);
const ref = (apiVersion: string, kind: string, name: string): ObjectRef => ({ apiVersion, kind, name, namespace: 'test' });
const labelled = resolveSelector({ ...workload('podinfo', 1, 1), spec: { selector: { matchLabels: { tier: 'web' } } } }, ['app', 'name']);

const stalls: readonly Stall[] = [
  blocked(
    'a ConfigMap that is missing',
    unread(missingConfig({ kind: 'ConfigMap', name: 'settings' }, 'test')),
    'ConfigNotFound',
    ['ConfigMap', 'metadata'],
    /create it, or make the reference optional/,
    'create ConfigMap settings',
  ),
  blocked(
    'a Secret that is missing',
    unread(missingConfig({ kind: 'Secret', name: 'db' }, 'test')),
    'ConfigNotFound',
    ['Secret', 'metadata'],
    /create it/,
    'create Secret db',
  ),
  blocked(
    'a Secret that may not be watched',
    unread(unknownConfig({ kind: 'Secret', name: 'db' }, 'test', 'cannot be watched: 403: grant list and watch')),
    'ConfigUnreadable',
    ['Secret', 'metadata'],
    /^allow the service account of Serin to get, list and watch Secrets in test, or choose --secrets-mode=off/,
  ),
  blocked(
    'a ConfigMap that may not be read',
    unread(unreadableConfig({ kind: 'ConfigMap', name: 'settings' }, 'test', forbidden('no'))),
    'ConfigUnreadable',
    ['ConfigMap', 'metadata'],
    /^allow the service account of Serin to get, list and watch ConfigMaps in test;/,
  ),
  blocked(
    'a copy that cannot be made',
    new ConfigCopyError(ref('v1', 'ConfigMap', 'settings-primary'), 'exceeded quota'),
    'ConfigCopyRejected',
    ['ConfigMap', 'metadata'],
    /exceeded quota/,
  ),
  blocked(
    'a name that is taken',
    new NameTakenError(ref('v1', 'Service', 'podinfo-canary')),
    'NameTaken',
    ['Service', /canary-uid/],
    /rename or remove it, or annotate it serin.dev\/adopt=true/,
    'set Service podinfo-canary metadata.annotations[serin.dev/adopt]',
  ),
  blocked(
    'a CRD that is absent',
    new ProviderUnavailableError({
      code: 'KindNotFound',
      object: ref('networking.istio.io/v1', 'VirtualService', 'podinfo'),
      detail: 'install its CRD',
    }),
    'KindNotFound',
    ['CustomResourceDefinition', 'spec.versions'],
    /install its CRD/,
    'create CustomResourceDefinition VirtualService in networking.istio.io/v1',
  ),
  blocked(
    'a permission that is missing',
    forbidden('virtualservices.networking.istio.io "podinfo" is forbidden: User "serin" cannot patch resource "virtualservices"'),
    'Forbidden',
    ['Canary', /Promoted/],
    /by a Role or ClusterRole/,
  ),
  blocked(
    'an exhausted quota',
    forbidden('services "podinfo-canary" is forbidden: exceeded quota: small, requested: services=1, used: services=2'),
    'QuotaExceeded',
    ['ResourceQuota', 'spec.hard'],
    /^ask the owner of the quota to raise it$/,
  ),
  ...[
    [403, 'pods "podinfo" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true'] as const,
    [400, 'admission webhook "policy.example.com" denied the request: exceeded quota: of the team, requested: 1'] as const,
    [422, "services is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no: owner"] as const,
    [422, 'Deployment.apps "podinfo-primary" is invalid: denied by policy'] as const,
  ].map(([status, message]) =>
    blocked(
      `a rule of the cluster (${status}: ${message.slice(0, 30)})`,
      refusedWith(status, 'Refused', message),
      'ApiRejected',
      ['Canary', /Promoted/],
      /^ask the owner of the rule that rejects it to correct the rule or make an exception$/,
    ),
  ),
  blocked(
    'a scaler that is missing',
    new ScalerNotFoundError(ref('autoscaling/v2', 'HorizontalPodAutoscaler', 'podinfo')),
    'ScalerNotFound',
    ['HorizontalPodAutoscaler', 'metadata'],
    /create it, or correct the name/,
    'create HorizontalPodAutoscaler podinfo',
  ),
  blocked(
    'a field that comes back',
    new TemplateLeftoverError(ref('apps/v1', 'Deployment', 'podinfo-primary'), 'spec.template.spec.hostNetwork'),
    'TemplateLeftover',
    ['Deployment', 'spec.template.spec.hostNetwork'],
    /another controller or webhook/,
  ),
  blocked(
    'a history that is gone',
    new NoPromotedTemplateError(ref('apps/v1', 'Deployment', 'podinfo-primary')),
    'NoPromotedTemplate',
    ['Deployment', 'metadata'],
    /push a good revision/,
    'set Deployment podinfo spec.template',
  ),
  blocked(
    'a route that cannot be said',
    RoutingError.at('service.rewrite', 'cannot be said in a GRPCRoute: remove it'),
    'RouteRejected',
    ['Canary', 'spec.service.rewrite'],
    /remove it/,
    'set Canary podinfo spec.service.rewrite',
  ),
  blocked(
    'a route that is listed and not there',
    objectMissing('routeRefs[0]', ref('gateway.networking.k8s.io/v1', 'HTTPRoute', 'podinfo-internal')),
    'RouteMissing',
    ['HTTPRoute', 'metadata'],
    /create HTTPRoute podinfo-internal/,
    'create HTTPRoute podinfo-internal',
  ),
  blocked(
    'a target that cannot have a primary',
    'problem' in labelled &&
      new TargetUnusableError(labelled.problem, { object: ref('apps/v1', 'Deployment', 'podinfo'), field: labelled.field }),
    'TargetUnusable',
    ['Deployment', 'spec.selector.matchLabels'],
    /create it again with one of them/,
    'set Deployment podinfo spec.selector.matchLabels',
  ),
  blocked(
    'something else',
    new ConfigUnavailableError({ code: 'Other', detail: 'the cluster is being moved: wait for the end of it' }),
    'Other',
    ['Canary', /Promoted/],
    /^do what the message says$/,
  ),
];

describeEach('a release that an object blocks', stalls);
