import { describeEach, type Stall, workload } from '../../../test/build/standing-still.ts';
import { aCanary, initialized } from '../../../test/build/world.ts';
import { resolveSelector } from '../../api/selector-label.ts';
import {
  ConfigCopyError,
  NameTakenError,
  NoPromotedTemplateError,
  ProviderUnavailableError,
  ScalerMissingError,
  TargetUnusableError,
  TemplateLeftoverError,
} from '../../controller/errors.ts';
import { obstacleOf } from '../../controller/obstacle.ts';
import { ApiError } from '../../kube/errors.ts';
import { RoutingError } from '../../routers/index.ts';
import type { Cause } from './causes.ts';

const problemOf = (found: object): string => ('problem' in found ? String(found.problem) : 'no problem');

/** Something is in the way of the objects, as the errors of the controller word it. */
function blocked(title: string, error: unknown, cause: Cause, proof: Stall['proof'], action: RegExp, way?: string): Stall {
  return {
    title,
    play() {
      const world = initialized(aCanary({ stepWeight: 20 }));
      world.behaviour.obstacle = obstacleOf(error) ?? 'unknown';
      world.look();
      return { world };
    },
    cause,
    proof,
    action,
    ...(way === undefined ? {} : { way }),
    mend({ world }) {
      delete world.behaviour.obstacle;
      world.settle();
    },
  };
}

const text = (message: string) => new TargetUnusableError(message);
const api = (status: number, message: string) => new ApiError(message, { status, reason: 'Forbidden' });

const stalls: readonly Stall[] = [
  blocked(
    'a ConfigMap that is missing',
    text("ConfigMap settings, which the target's pods need, does not exist: create it, or make the reference optional"),
    'ConfigMissing',
    ['ConfigMap', 'metadata'],
    /create it, or make the reference optional/,
    'create ConfigMap settings',
  ),
  blocked(
    'a Secret that is missing',
    text("Secret db, which the target's pods need, does not exist: create it, or make the reference optional"),
    'ConfigMissing',
    ['Secret', 'metadata'],
    /create it/,
    'create Secret db',
  ),
  blocked(
    'a Secret that may not be watched',
    text('Secret db cannot be watched: 403 Forbidden: grant list and watch to the service account of Serin'),
    'ConfigUnreadable',
    ['Secret', 'metadata'],
    /grant list and watch/,
  ),
  blocked(
    'a ConfigMap that may not be read',
    text('ConfigMap settings cannot be read: 403 Forbidden: grant it to the service account of Serin'),
    'ConfigUnreadable',
    ['ConfigMap', 'metadata'],
    /grant it/,
  ),
  blocked(
    'a copy that cannot be made',
    new ConfigCopyError('ConfigMap', 'settings-primary', 'exceeded quota'),
    'ConfigCopyRefused',
    ['ConfigMap', 'metadata'],
    /exceeded quota/,
  ),
  blocked(
    'a name that is taken',
    new NameTakenError('Service', 'podinfo-canary'),
    'NameTaken',
    ['Service', /canary-uid/],
    /rename or remove it, or annotate it serin.dev\/adopt=true/,
    'set Service podinfo-canary metadata.annotations[serin.dev/adopt]',
  ),
  blocked(
    'a CRD that is absent',
    new ProviderUnavailableError('the cluster has no VirtualService in networking.istio.io/v1: install its CRD'),
    'KindAbsent',
    ['CustomResourceDefinition', 'spec.versions'],
    /install its CRD/,
    'create CustomResourceDefinition VirtualService in networking.istio.io/v1',
  ),
  blocked(
    'a permission that is missing',
    api(403, 'PATCH /apis/networking.istio.io: 403 Forbidden: User "serin" cannot patch resource "virtualservices"'),
    'Forbidden',
    ['Canary', /Promoted/],
    /by a Role or ClusterRole/,
  ),
  blocked(
    'a quota without room',
    api(
      403,
      'POST /api/v1: 403 Forbidden: services "podinfo-canary" is forbidden: exceeded quota: small, requested: services=1, used: services=2',
    ),
    'QuotaExceeded',
    ['ResourceQuota', 'spec.hard'],
    /^who owns the quota can raise it$/,
  ),
  ...[
    'POST /api/v1: 403 Forbidden: pods "podinfo" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
    'POST /api/v1: 400 BadRequest: admission webhook "policy.example.com" denied the request: exceeded quota: of the team',
    "POST /api/v1: 422 Invalid: services is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no: owner",
  ].map((message) =>
    blocked(
      `a rule of the cluster (${message.slice(13, 30)})`,
      api(Number(/\d{3}/.exec(message)?.[0]), message),
      'ApiRefused',
      ['Canary', /Promoted/],
      /^who owns the rule that refuses it can correct it or make an exception$/,
    ),
  ),
  blocked(
    'an object that an admission rule refuses',
    api(422, 'POST /apis/apps: 422 Invalid: denied by policy'),
    'ApiRefused',
    ['Canary', /Promoted/],
    /denied by policy/,
  ),
  blocked(
    'a scaler that is missing',
    new ScalerMissingError('HorizontalPodAutoscaler', 'podinfo'),
    'ScalerMissing',
    ['HorizontalPodAutoscaler', 'metadata'],
    /create it, or correct the name/,
    'create HorizontalPodAutoscaler podinfo',
  ),
  blocked(
    'a field that comes back',
    new TemplateLeftoverError('podinfo-primary', 'spec.template.spec.hostNetwork'),
    'TemplateLeftover',
    ['Deployment', 'spec.template.spec.hostNetwork'],
    /another controller or webhook/,
  ),
  blocked(
    'a history that is gone',
    new NoPromotedTemplateError('podinfo-primary'),
    'NoPromotedTemplate',
    ['Deployment', 'metadata'],
    /push a good revision/,
    'set Deployment podinfo spec.template',
  ),
  blocked(
    'a route that cannot be said',
    new RoutingError('service.rewrite cannot be said in a GRPCRoute: remove it'),
    'RouteRefused',
    ['Canary', 'spec.service.rewrite'],
    /remove it/,
    'set Canary podinfo spec.service.rewrite',
  ),
  blocked(
    'a target that cannot have a primary',
    text(
      problemOf(resolveSelector({ ...workload('podinfo', 1, 1), spec: { selector: { matchLabels: { tier: 'web' } } } }, ['app', 'name'])),
    ),
    'TargetUnusable',
    ['Deployment', 'spec.selector.matchLabels'],
    /make it anew with one of them/,
    'set Deployment podinfo spec.selector.matchLabels',
  ),
  blocked(
    'something else',
    text('the moon is in the way: wait for the morning'),
    'Obstacle',
    ['Canary', /Promoted/],
    /wait for the morning/,
  ),
];

describeEach('a release with something in its way', stalls);
