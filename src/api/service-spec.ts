import * as z from 'zod';
import { Integer, LongText, listOf, mapOf, ShortText, strictMark } from './limits.ts';
import { serviceTraffic } from './service-traffic.ts';
import { StringMatch } from './string-match.ts';

const Strings = mapOf(LongText);
const Metadata = z.object({
  labels: Strings.optional().describe('Labels to add.'),
  annotations: Strings.optional().describe('Annotations to add.'),
});
const HeaderChange = z.object({
  add: Strings.optional().describe('Values appended to headers.'),
  set: Strings.optional().describe('Values that replace those of headers.'),
  remove: listOf(ShortText).optional().describe('Names of headers to take away.'),
});
const NameOf253 = z.string().min(1).max(253);
const Matches = mapOf(StringMatch);

/** One entry of `parentRefs` of a Gateway API route. The API server would fill in absent fields; without `sectionName` it means all listeners of the Gateway. */
export const ParentReference = z
  .object({
    group: z
      .string()
      .max(253)
      .optional()
      .meta({ description: 'API group of the parent; the empty text is the core group.', default: 'gateway.networking.k8s.io' }),
    kind: z.string().min(1).max(63).optional().meta({ description: 'Kind of the parent.', default: 'Gateway' }),
    namespace: z.string().min(1).max(63).optional().describe("Namespace of the parent; the Canary's own when absent."),
    name: NameOf253.describe('Name of the parent.'),
    sectionName: NameOf253.optional().describe('Listener of the parent to attach to.'),
    port: z.int().min(1).max(65535).optional().describe('Port of the parent to attach to.'),
  })
  .meta({ [strictMark]: true });
export type ParentReference = z.infer<typeof ParentReference>;

/** A request condition of the whole route (not the A/B condition of the analysis). */
export const HttpMatchRequest = z.object({
  name: ShortText.optional().describe('A name for this condition.'),
  uri: StringMatch.optional().describe('Condition on the path.'),
  scheme: StringMatch.optional().describe('Condition on the URI scheme.'),
  method: StringMatch.optional().describe('Condition on the HTTP method.'),
  authority: StringMatch.optional().describe('Condition on the Host header.'),
  headers: Matches.optional().describe('Conditions on headers, by name.'),
  queryParams: Matches.optional().describe('Conditions on query parameters, by name.'),
  withoutHeaders: Matches.optional().describe('Headers that must not match, by name.'),
  port: Integer.optional().describe('Port that the client addressed.'),
  sourceLabels: Strings.optional().describe("Labels of the client's pods."),
  gateways: listOf(ShortText).optional().describe('Gateways that this condition is for.'),
  ignoreUriCase: z.boolean().optional().describe('Compare the path without regard to case.'),
  sourceNamespace: ShortText.optional().describe('Namespace of the client.'),
});
export type HttpMatchRequest = z.infer<typeof HttpMatchRequest>;

/** spec.service.corsPolicy, as Istio has it. */
export const CorsPolicy = z.object({
  allowOrigin: listOf(ShortText).optional().describe('Origins that may read answers; an older form of allowOrigins.'),
  allowOrigins: listOf(StringMatch).optional().describe('Origins that may read answers.'),
  allowMethods: listOf(ShortText).optional().describe('Methods that other origins may use.'),
  allowHeaders: listOf(ShortText).optional().describe('Request headers that other origins may send.'),
  exposeHeaders: listOf(ShortText).optional().describe('Response headers that other origins may read.'),
  maxAge: ShortText.optional().describe('Time for which a browser may remember this, as duration text.'),
  allowCredentials: z.boolean().optional().describe('Allow credentials in requests.'),
});

const ConsistentHash = z.looseObject({
  httpHeaderName: ShortText.optional(),
  httpCookie: z.looseObject({ name: ShortText.optional(), path: ShortText.optional(), ttl: ShortText.optional() }).optional(),
  useSourceIp: z.boolean().optional(),
  httpQueryParameterName: ShortText.optional(),
  minimumRingSize: Integer.optional(),
});
const LoadBalancer = z.looseObject({
  simple: z.enum(['ROUND_ROBIN', 'LEAST_CONN', 'RANDOM', 'PASSTHROUGH', 'LEAST_REQUEST']).optional(),
  consistentHash: ConsistentHash.optional(),
  localityLbSetting: z
    .looseObject({
      enabled: z.boolean().optional(),
      distribute: listOf(z.looseObject({ from: ShortText.optional(), to: mapOf(Integer).optional() }))
        .optional()
        .describe('Shares by locality.'),
      failover: listOf(z.looseObject({ from: ShortText.optional(), to: ShortText.optional() }))
        .optional()
        .describe('Where traffic goes when a locality fails.'),
    })
    .optional(),
  warmupDurationSecs: ShortText.optional(),
});

/** Istio's traffic policy, passed unmodified to both DestinationRules. */
export const TrafficPolicy = z.looseObject({
  connectionPool: z
    .looseObject({
      http: z
        .looseObject({
          h2UpgradePolicy: z.enum(['DEFAULT', 'DO_NOT_UPGRADE', 'UPGRADE']).optional(),
          http1MaxPendingRequests: Integer.optional(),
          http2MaxRequests: Integer.optional(),
          idleTimeout: ShortText.optional(),
          maxRequestsPerConnection: Integer.optional(),
          maxRetries: Integer.optional(),
        })
        .optional(),
    })
    .optional()
    .describe('Limits on connections.'),
  loadBalancer: LoadBalancer.optional().describe('Choice of a pod: `simple` or `consistentHash`.'),
  outlierDetection: z
    .looseObject({
      baseEjectionTime: ShortText.optional(),
      consecutive5xxErrors: Integer.optional(),
      consecutiveErrors: Integer.optional(),
      consecutiveGatewayErrors: Integer.optional(),
      consecutiveLocalOriginFailures: Integer.optional(),
      interval: ShortText.optional(),
      maxEjectionPercent: Integer.optional(),
      minHealthPercent: Integer.optional(),
      splitExternalLocalOriginErrors: z.boolean().optional(),
    })
    .optional()
    .describe('When a failing pod is left out.'),
  tls: z
    .looseObject({
      mode: z.enum(['DISABLE', 'SIMPLE', 'MUTUAL', 'ISTIO_MUTUAL']).optional(),
      clientCertificate: ShortText.optional(),
      privateKey: ShortText.optional(),
      caCertificates: ShortText.optional(),
      subjectAltNames: listOf(ShortText).optional(),
      sni: ShortText.optional(),
    })
    .optional()
    .describe('TLS between proxies and pods.'),
});

const BackendRef = z
  .object({
    group: ShortText.optional().meta({ description: 'API group; the empty text is the core group.', default: '' }),
    kind: ShortText.optional().meta({ description: 'Kind of the backend.', default: 'Service' }),
    name: NameOf253.describe('Name of the backend.'),
    namespace: ShortText.optional().describe("Namespace of the backend; the Canary's own when absent."),
    port: z.int().min(1).max(65535).optional().describe('Port of the backend; needed for a Service.'),
  })
  .meta({ [strictMark]: true });

const Rewrite = z.object({
  uri: LongText.optional().describe('New value of the path.'),
  authority: LongText.optional().describe('New value of the Host header.'),
  type: ShortText.optional().describe('`ReplacePrefixMatch` replaces the matched prefix, all else the full path. Gateway API only.'),
});
const Retries = z.object({
  attempts: Integer.optional().describe('Number of times that a failed request is tried again.'),
  perTryTimeout: ShortText.optional().describe('Time for each attempt, as duration text.'),
  retryOn: ShortText.optional().describe('Conditions under which a request is tried again, comma separated.'),
});

/** spec.service. */
export const CanaryService = z.object({
  name: ShortText.optional().describe("Name of the apex Service; the target's name when absent."),
  port: z.int().min(1).max(65535).describe('Port of the generated Services.'),
  portName: ShortText.optional().describe('Name of that port; `http` when absent.'),
  targetPort: z.union([z.int(), ShortText]).optional().describe('Container port, by number or name; `port` when absent.'),
  appProtocol: ShortText.optional().describe("Application protocol of the port; `tcp` makes Istio's routes TCP routes."),
  ...serviceTraffic,
  portDiscovery: z.boolean().optional().describe("Also add the containers' other ports to the Services."),
  followers: z
    .union([z.enum(['auto', 'none']), listOf(NameOf253, 100)])
    .optional()
    .describe('Other Services of the target that follow the apex Service: `auto` (all; when absent), `none`, or their names.'),
  headless: z.boolean().optional().describe('Create the Services without a cluster IP.'),
  timeout: ShortText.optional().describe('Time limit of a request, as duration text.'),
  backendTimeout: ShortText.optional().describe('Time limit of a request to one backend; Gateway API only.'),
  gateways: listOf(ShortText).optional().describe('Istio gateways; `mesh` when absent.'),
  gatewayRefs: z.array(ParentReference).max(32).optional().describe('Parents of the HTTPRoute; needed by Gateway API.'),
  hosts: listOf(ShortText).optional().describe('Host names of the route.'),
  delegation: z.boolean().optional().describe('Make an Istio delegate VirtualService, without hosts or gateways.'),
  trafficPolicy: TrafficPolicy.optional().describe('Istio traffic policy for both sides.'),
  match: listOf(HttpMatchRequest).optional().describe('Requests that the route is for.'),
  rewrite: Rewrite.optional().describe('Changes to the path and the Host header of requests.'),
  retries: Retries.optional().describe('Retries of failed requests.'),
  headers: z
    .object({
      request: HeaderChange.optional().describe('Changes to request headers.'),
      response: HeaderChange.optional().describe('Changes to response headers.'),
    })
    .optional()
    .describe('Changes to headers.'),
  mirror: listOf(z.object({ backendRef: BackendRef.optional().describe('Where the copy goes.') }))
    .optional()
    .describe('Backends that always get a copy of each request; Gateway API only.'),
  corsPolicy: CorsPolicy.optional().describe('Cross-origin policy.'),
  meshName: ShortText.optional().describe('App Mesh: name of the mesh.'),
  backends: listOf(ShortText).optional().describe('App Mesh: backends of the virtual nodes.'),
  apex: Metadata.optional().describe('Metadata of the apex Service and of routing objects.'),
  primary: Metadata.optional().describe('Metadata of the primary Service.'),
  canary: Metadata.optional().describe('Metadata of the canary Service.'),
  unmanagedMetadata: z
    .object({
      annotations: listOf(ShortText).optional().describe('Keys of annotations that keep their live value.'),
      labels: listOf(ShortText).optional().describe('Keys of labels that keep their live value.'),
    })
    .optional()
    .describe('Metadata of the Services that others manage.'),
});
export type CanaryService = z.infer<typeof CanaryService>;
