import * as z from 'zod';
import { CanaryStatus } from './canary-status.ts';
import { AnalysisComparison, ToleratedErrors } from './comparison.ts';
import {
  Address,
  Duration,
  LongText,
  listOf,
  MOST_CHECKS,
  MOST_ENTRIES,
  mapOf,
  SecretRef,
  ShortText,
  strictMark,
  WindowText,
} from './limits.ts';
import { providers } from './providers.ts';
import { RouteRef } from './route-ref.ts';
import { HttpMatch } from './routes.ts';
import { CanaryService } from './service-spec.ts';

/** API group of Flagger's resources. */
export const group = 'flagger.app';
export const crdVersion = 'v1beta1';
/** `flagger.app/v1beta1`. */
export const apiVersion = `${group}/${crdVersion}`;

export { providers };
export const Provider = z.enum(providers);
export type Provider = z.infer<typeof Provider>;
/** Flagger's definition once allowed the last value, and it is still stored; Flagger runs it as `gatewayapi:v1`. */
export const NamedProvider = z.enum([...providers, 'gatewayapi:v1alpha2']);
export type NamedProvider = z.infer<typeof NamedProvider>;

const CrossReference = z.object({
  apiVersion: ShortText.describe('API version of the object.'),
  kind: ShortText.describe('Kind of the object.'),
  name: ShortText.describe('Name of the object, in the namespace of the Canary.'),
});

/** spec.targetRef. */
export const TargetRef = z.object({
  apiVersion: ShortText.describe('API version of the workload.'),
  kind: z.enum(['DaemonSet', 'Deployment', 'Service']).describe('Kind of the workload.'),
  name: z.string().min(1).max(253).describe('Name of the workload.'),
});
export type TargetRef = z.infer<typeof TargetRef>;

/** Higher than the number of routes of any application. */
const MOST_ROUTES = 16;

const refTo = (kind: string) =>
  z.object({
    name: ShortText.describe(`Name of the ${kind}.`),
    namespace: ShortText.optional().describe(`Namespace of the ${kind}; the Canary's own when absent.`),
  });

/** One entry of spec.analysis.metrics. */
export const Metric = z.object({
  name: ShortText.describe('`request-success-rate` and `request-duration` are built in; others need `templateRef` or `query`.'),
  interval: WindowText.optional().describe('Window of the query, as duration text; 1m when absent.'),
  threshold: z.number().optional().describe('Old form of thresholdRange: the minimum of a success rate, the maximum of anything else.'),
  thresholdRange: z
    .object({
      min: z.number().optional().describe('Lowest accepted value.'),
      max: z.number().optional().describe('Highest accepted value.'),
    })
    .optional()
    .describe('Accepted values, both ends included.'),
  query: LongText.optional().describe('Old form of templateRef: a Prometheus query.'),
  templateRef: refTo('MetricTemplate').optional().describe('MetricTemplate with the query.'),
  templateVariables: mapOf(LongText).optional().describe('Values for the variables of the template.'),
  /** Only in Serin. */
  failureLimit: z
    .int()
    .min(0)
    .optional()
    .describe('Failed checks of this metric that are tolerated in a release; one more rolls it back, also below analysis.threshold.'),
  mode: z
    .enum(['judge', 'observe'])
    .optional()
    .describe('`observe`: measured and shown, but without effect on the release. `judge` when absent.'),
  initialDelay: WindowText.optional().describe(
    'Time from the first moment at which the canary can get requests until the first query of the metric; the release waits at its first step until then.',
  ),
  quantile: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Of request-duration: which quantile, as in 0.95. When absent 0.99, or the mean with the providers nginx and skipper.'),
  wholeMilliseconds: z
    .boolean()
    .optional()
    .describe('Of request-duration: whether fractions of a millisecond are cut off, of the value and of the bounds; true when absent.'),
  baseline: z
    .object({
      query: LongText.optional().describe(
        "Gives the primary's value, at the same backend as the query; the same query for `<target>-primary` when absent.",
      ),
      minRatio: z.number().min(0).optional().describe("Lowest accepted value, in times the primary's."),
      maxRatio: z.number().min(0).optional().describe("Highest accepted value, in times the primary's."),
    })
    .optional()
    .describe('Compares with the primary at the same time. Beside thresholdRange both must hold.'),
  minimumRequests: z
    .int()
    .min(1)
    .optional()
    .describe('Fewer requests than this in the window are too few to judge by: the check is unmeasured, and its value is ignored.'),
  compare: ToleratedErrors.optional().describe(
    'With analysis.comparison: compares the canary with the primary by `spec.counts` of the MetricTemplate as well.',
  ),
  trafficQuery: LongText.optional().describe(
    'Counts the requests of the canary in the window, at the same backend as the query; for minimumRequests. Built-in metrics know their own.',
  ),
});
export type Metric = z.infer<typeof Metric>;

/** Values of spec.analysis.webhooks[].type; `rollout` if absent. */
export const HookType = z.enum([
  '',
  'rollout',
  'pre-rollout',
  'confirm-rollout',
  'confirm-traffic-increase',
  'confirm-promotion',
  'post-rollout',
  'event',
  'rollback',
]);
export type HookType = z.infer<typeof HookType>;

/** One entry of spec.analysis.webhooks. */
export const Webhook = z.object({
  name: ShortText.describe('Name of the webhook, for events and messages.'),
  type: HookType.optional().describe('Moment of the call; `rollout` when absent or empty.'),
  url: Address.describe('Address that gets the POST.'),
  timeout: Duration.optional().describe('Time for each attempt, as duration text; 10s when absent.'),
  retries: z.int().optional().describe('Further attempts after the first.'),
  metadata: mapOf(LongText).optional().describe('Values that are sent along.'),
  muteAlert: z.boolean().optional().describe('Send no alert while this gate keeps the release waiting.'),
  disableTLS: z.boolean().optional().describe('Accept any certificate of the server.'),
  /** Only in Serin. */
  secretRef: SecretRef.optional().describe(
    'Secret in the same namespace: its key `signingKey` signs the body, a key `header.NAME` is the value of the header NAME.',
  ),
});
export type Webhook = z.infer<typeof Webhook>;

/** spec.analysis.sessionAffinity. */
export const SessionAffinity = z.object({
  cookieName: ShortText.describe('Cookie that keeps a user on the canary.'),
  primaryCookieName: ShortText.optional().describe('Cookie that keeps a user on the primary for one interval.'),
  maxAge: z.int().optional().meta({ description: 'Life of the canary cookie in seconds.', default: 86400 }),
  domain: ShortText.optional().describe('Domain attribute of the cookies.'),
  path: ShortText.optional().describe('Path attribute of the cookies.'),
  httpOnly: z.boolean().optional().describe('HttpOnly attribute of the cookies.'),
  secure: z.boolean().optional().describe('Secure attribute of the cookies.'),
  partitioned: z.boolean().optional().describe('Partitioned attribute of the cookies.'),
  sameSite: z.enum(['Strict', 'Lax', 'None']).optional().describe('SameSite attribute of the cookies.'),
});
export type SessionAffinity = z.infer<typeof SessionAffinity>;

/** One entry of spec.analysis.alerts. */
export const Alert = z.object({
  name: ShortText.describe('Name of the alert.'),
  severity: z.enum(['', 'info', 'warn', 'error']).optional().describe('Lowest severity that is sent.'),
  providerRef: refTo('AlertProvider').describe('The AlertProvider to send by.'),
});
export type Alert = z.infer<typeof Alert>;

/** spec.analysis; weights are percent of requests. */
export const Analysis = z.object({
  interval: Duration.describe('Time between checks, as duration text; at least 10s.'),
  threshold: z.int().describe('Maximum number of failed checks before the release is rolled back.'),
  iterations: z.int().optional().describe('Number of checks of an A/B or Blue/Green release.'),
  maxWeight: z.int().optional().describe('Percent of traffic to the canary at which promotion starts; 100 when absent.'),
  stepWeight: z.int().optional().describe('Percent of traffic added at each step.'),
  stepWeights: listOf(z.int()).optional().describe('Percent of traffic at each step, rising.'),
  stepWeightPromotion: z.int().optional().describe('Percent of traffic that returns to the primary at each step of the promotion.'),
  mirror: z.boolean().optional().describe('Begin with copies of requests instead of requests.'),
  mirrorWeight: z.int().optional().describe('Percent of requests that is copied.'),
  primaryReadyThreshold: z.int().optional().describe('Percent of the pods of the primary that must be available; 100 when absent.'),
  canaryReadyThreshold: z.int().optional().describe('Percent of the pods of the canary that must be available; 100 when absent.'),
  match: listOf(HttpMatch).optional().describe('Requests that go to the canary in an A/B release.'),
  metrics: listOf(Metric, MOST_CHECKS).optional().describe('Measurements that the canary must pass.'),
  webhooks: listOf(Webhook, MOST_CHECKS).optional().describe('HTTP calls at named moments; some can hold the release.'),
  alerts: listOf(Alert, MOST_CHECKS).optional().describe('Where to report.'),
  sessionAffinity: SessionAffinity.optional().describe('Keep each user on one side.'),
  gateTimeout: WindowText.optional().describe(
    'Time for which a `confirm-…` webhook that is closed, or cannot be reached, is waited for, as duration text; then the release is rolled back. Without limit when absent.',
  ),
  /** Only in Serin. A failure to measure counts as a failed check (`fail`, as in Flagger) or waits (`hold`). */
  unmeasured: z.enum(['fail', 'hold']).optional().describe('Effect of a failure to measure: a failed check (`fail`), or a wait (`hold`).'),
  comparison: AnalysisComparison.optional().describe(
    "Compares the canary's counts of requests with the primary's, whenever they are read, beside the metrics. Nothing is compared when absent.",
  ),
});
export type Analysis = z.infer<typeof Analysis>;

const SpecFields = z.object({
  provider: NamedProvider.optional().describe('Traffic provider of this Canary; the global one when absent.'),
  metricsServer: Address.optional().describe('Prometheus of this Canary; the global one when absent.'),
  metricsServerSecretRef: SecretRef.optional().describe(
    'Secret in the same namespace with the label `serin.dev/usable-by=canaries`, for metricsServer: `token`, or `username` and `password`; `header.NAME`; `ca.crt`; `tls.crt` and `tls.key`.',
  ),
  targetRef: TargetRef.describe('The workload to release, in the same namespace.'),
  autoscalerRef: CrossReference.extend({
    kind: z.enum(['HorizontalPodAutoscaler', 'ScaledObject']).describe('Kind of the scaler.'),
    primaryScalerQueries: mapOf(LongText).optional().describe('KEDA: queries of the primary by trigger name.'),
    /** Only in Serin, for triggers without a query. */
    primaryScalerTriggers: mapOf(mapOf(LongText))
      .optional()
      .describe('KEDA: metadata of the triggers of the primary that differ, by trigger name.'),
    primaryScalerReplicas: z
      .object({
        minReplicas: z.int().min(1).optional().describe('Fewest replicas of the primary.'),
        maxReplicas: z.int().min(1).optional().describe('Most replicas of the primary.'),
      })
      .meta({ [strictMark]: true })
      .optional()
      .describe('Limits of the scaler of the primary that differ.'),
  })
    .optional()
    .describe('Scaler of the workload.'),
  ingressRef: CrossReference.extend({ kind: z.literal('Ingress') })
    .optional()
    .describe('Ingress of the application; needed by nginx and skipper.'),
  routeRef: CrossReference.extend({ kind: z.literal('ApisixRoute') })
    .optional()
    .describe('Route of the application; needed by apisix.'),
  /** Only in Serin. */
  routeRefs: listOf(RouteRef, MOST_ROUTES)
    .optional()
    .describe(
      'Routes of yours that lead to the application, beside the one of its name: an HTTPRoute, GRPCRoute, VirtualService or HTTPProxy, as the provider reads them. Each is split; none is made where some are listed.',
    ),
  upstreamRef: CrossReference.extend({
    kind: z.literal('Upstream'),
    namespace: ShortText.optional().describe('Namespace of the Upstream.'),
  })
    .optional()
    .describe('Gloo: Upstream whose settings are copied.'),
  service: CanaryService.describe('Services and routes to make.'),
  analysis: Analysis.describe('Analysis of the new version.'),
  progressDeadlineSeconds: z.int().optional().describe('Seconds for which a workload can be unavailable; 600 when absent.'),
  skipAnalysis: z.boolean().optional().describe('Promote without analysis.'),
  revertOnDeletion: z.boolean().optional().describe('Put everything back when the Canary is deleted.'),
  suspend: z.boolean().optional().describe('Change nothing until this is false again.'),
});

/** The spec of a Canary; checks across fields are in `findings.ts`. */
export const CanarySpec = SpecFields.check(({ value: { analysis, service }, issues }) => {
  // A route is made of every pair.
  const pairs = (analysis.match?.length ?? 0) * (service.match?.length ?? 0);
  if (pairs <= MOST_ENTRIES) return;
  const message = `with service.match it makes ${pairs} conditions, and at most ${MOST_ENTRIES} are taken: name fewer in either`;
  issues.push({ code: 'custom', path: ['analysis', 'match'], message, input: analysis.match });
});
export type CanarySpec = z.infer<typeof CanarySpec>;

/** The part of the spec that decides in which objects routes are written, and how. */
export const RoutedSpec = SpecFields.pick({ service: true, ingressRef: true, routeRef: true, routeRefs: true, upstreamRef: true });

/** The fields of the spec that decide which objects a Canary owns and how it is routed, as stored in its anchor. */
export const AnchoredSpec = SpecFields.pick({
  provider: true,
  targetRef: true,
  autoscalerRef: true,
  routeRefs: true,
  service: true,
}).extend({
  analysis: Analysis.pick({ interval: true, threshold: true }),
});

export type AnchoredSpec = z.infer<typeof AnchoredSpec>;

/** The part of metadata that decisions use. */
export const CanaryMeta = z.looseObject({
  name: z.string(),
  namespace: z.string(),
  uid: z.string(),
  generation: z.int(),
  resourceVersion: z.string(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  finalizers: z.array(z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  labels: z.record(z.string(), z.string()).optional(),
});

/** A Canary that passed the strict parse. */
export const Canary = z.object({
  apiVersion: z.literal(apiVersion),
  kind: z.literal('Canary'),
  metadata: CanaryMeta,
  spec: CanarySpec,
  status: CanaryStatus.optional(),
});
export type Canary = z.infer<typeof Canary>;
