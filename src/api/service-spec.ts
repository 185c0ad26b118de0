import * as z from 'zod';
import { serviceTraffic } from './service-traffic.ts';
import { StringMatch } from './string-match.ts';

const Strings = z.record(z.string(), z.string());
const Metadata = z.object({
  labels: Strings.optional().describe('Labels to add.'),
  annotations: Strings.optional().describe('Annotations to add.'),
});
const HeaderChange = z.object({
  add: Strings.optional().describe('Values appended to headers.'),
  set: Strings.optional().describe('Values that replace those of headers.'),
  remove: z.array(z.string()).optional().describe('Names of headers to take away.'),
});
const NameOf253 = z.string().min(1).max(253);
const Matches = z.record(z.string(), StringMatch);

/** A Gateway API parent. */
export const ParentReference = z.object({
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
});

/** A request condition of the whole route (not the A/B condition of the analysis). */
export const HttpMatchRequest = z.object({
  name: z.string().optional().describe('A name for this condition.'),
  uri: StringMatch.optional().describe('Condition on the path.'),
  scheme: StringMatch.optional().describe('Condition on the URI scheme.'),
  method: StringMatch.optional().describe('Condition on the HTTP method.'),
  authority: StringMatch.optional().describe('Condition on the Host header.'),
  headers: Matches.optional().describe('Conditions on headers, by name.'),
  queryParams: Matches.optional().describe('Conditions on query parameters, by name.'),
  withoutHeaders: Matches.optional().describe('Headers that must not match, by name.'),
  port: z.int().optional().describe('Port that the client addressed.'),
  sourceLabels: Strings.optional().describe("Labels of the client's pods."),
  gateways: z.array(z.string()).optional().describe('Gateways that this condition is for.'),
  ignoreUriCase: z.boolean().optional().describe('Compare the path without regard to case.'),
  sourceNamespace: z.string().optional().describe('Namespace of the client.'),
});
export type HttpMatchRequest = z.infer<typeof HttpMatchRequest>;

export const CorsPolicy = z.object({
  allowOrigin: z.array(z.string()).optional().describe('Origins that may read answers; an older form of allowOrigins.'),
  allowOrigins: z.array(StringMatch).optional().describe('Origins that may read answers.'),
  allowMethods: z.array(z.string()).optional().describe('Methods that other origins may use.'),
  allowHeaders: z.array(z.string()).optional().describe('Request headers that other origins may send.'),
  exposeHeaders: z.array(z.string()).optional().describe('Response headers that other origins may read.'),
  maxAge: z.string().optional().describe('How long a browser may remember this, as duration text.'),
  allowCredentials: z.boolean().optional().describe('Whether credentials may be sent along.'),
});

const ConsistentHash = z.looseObject({
  httpHeaderName: z.string().optional(),
  httpCookie: z.looseObject({ name: z.string().optional(), path: z.string().optional(), ttl: z.string().optional() }).optional(),
  useSourceIp: z.boolean().optional(),
  httpQueryParameterName: z.string().optional(),
  minimumRingSize: z.number().optional(),
});
const LoadBalancer = z.looseObject({
  simple: z.enum(['ROUND_ROBIN', 'LEAST_CONN', 'RANDOM', 'PASSTHROUGH', 'LEAST_REQUEST']).optional(),
  consistentHash: ConsistentHash.optional(),
  localityLbSetting: z
    .looseObject({
      enabled: z.boolean().optional(),
      distribute: z
        .array(z.looseObject({ from: z.string().optional(), to: z.record(z.string(), z.number()).optional() }))
        .optional()
        .describe('Shares by locality.'),
      failover: z
        .array(z.looseObject({ from: z.string().optional(), to: z.string().optional() }))
        .optional()
        .describe('Where traffic goes when a locality fails.'),
    })
    .optional(),
  warmupDurationSecs: z.string().optional(),
});

/** Istio's traffic policy, passed to both DestinationRules as it stands. */
export const TrafficPolicy = z.looseObject({
  connectionPool: z
    .looseObject({
      http: z
        .looseObject({
          h2UpgradePolicy: z.enum(['DEFAULT', 'DO_NOT_UPGRADE', 'UPGRADE']).optional(),
          http1MaxPendingRequests: z.number().optional(),
          http2MaxRequests: z.number().optional(),
          idleTimeout: z.string().optional(),
          maxRequestsPerConnection: z.number().optional(),
          maxRetries: z.number().optional(),
        })
        .optional(),
    })
    .optional()
    .describe('Limits on connections.'),
  loadBalancer: LoadBalancer.optional().describe('How a pod is chosen: `simple` or `consistentHash`.'),
  outlierDetection: z
    .looseObject({
      baseEjectionTime: z.string().optional(),
      consecutive5xxErrors: z.number().optional(),
      consecutiveErrors: z.number().optional(),
      consecutiveGatewayErrors: z.number().optional(),
      consecutiveLocalOriginFailures: z.number().optional(),
      interval: z.string().optional(),
      maxEjectionPercent: z.number().optional(),
      minHealthPercent: z.number().optional(),
      splitExternalLocalOriginErrors: z.boolean().optional(),
    })
    .optional()
    .describe('When a failing pod is left out.'),
  tls: z
    .looseObject({
      mode: z.enum(['DISABLE', 'SIMPLE', 'MUTUAL', 'ISTIO_MUTUAL']).optional(),
      clientCertificate: z.string().optional(),
      privateKey: z.string().optional(),
      caCertificates: z.string().optional(),
      subjectAltNames: z.array(z.string()).optional(),
      sni: z.string().optional(),
    })
    .optional()
    .describe('TLS between proxies and pods.'),
});

const BackendRef = z.object({
  group: z.string().optional().meta({ description: 'API group; the empty text is the core group.', default: '' }),
  kind: z.string().optional().meta({ description: 'Kind of the backend.', default: 'Service' }),
  name: NameOf253.describe('Name of the backend.'),
  namespace: z.string().optional().describe("Namespace of the backend; the Canary's own when absent."),
  port: z.int().min(1).max(65535).optional().describe('Port of the backend; needed for a Service.'),
});

const Rewrite = z.object({
  uri: z.string().optional().describe('What the path becomes.'),
  authority: z.string().optional().describe('What the Host header becomes.'),
  type: z.string().optional().describe('`ReplacePrefixMatch` replaces the matched prefix, all else the full path. Gateway API only.'),
});
const Retries = z.object({
  attempts: z.int().optional().describe('How often a failed request is tried again.'),
  perTryTimeout: z.string().optional().describe('Time for each attempt, as duration text.'),
  retryOn: z.string().optional().describe('Conditions under which a request is tried again, comma separated.'),
});

export const Service = z.object({
  name: z.string().optional().describe("Name of the apex Service; the target's name when absent."),
  port: z.int().min(1).max(65535).describe('Port of the generated Services.'),
  portName: z.string().optional().describe('Name of that port; `http` when absent.'),
  targetPort: z.union([z.int(), z.string()]).optional().describe('Container port, by number or name; `port` when absent.'),
  appProtocol: z.string().optional().describe("Application protocol of the port; `tcp` makes Istio's routes TCP routes."),
  ...serviceTraffic,
  portDiscovery: z.boolean().optional().describe("Also add the containers' other ports to the Services."),
  headless: z.boolean().optional().describe('Create the Services without a cluster IP.'),
  timeout: z.string().optional().describe('Time limit of a request, as duration text.'),
  backendTimeout: z.string().optional().describe('Time limit of a request to one backend; Gateway API only.'),
  gateways: z.array(z.string()).optional().describe('Istio gateways; `mesh` when absent.'),
  gatewayRefs: z.array(ParentReference).max(32).optional().describe('Parents of the HTTPRoute; needed by Gateway API.'),
  hosts: z.array(z.string()).optional().describe('Host names of the route.'),
  delegation: z.boolean().optional().describe('Make an Istio delegate VirtualService, without hosts or gateways.'),
  trafficPolicy: TrafficPolicy.optional().describe('Istio traffic policy for both sides.'),
  match: z.array(HttpMatchRequest).optional().describe('Requests that the route is for.'),
  rewrite: Rewrite.optional().describe('How requests are rewritten.'),
  retries: Retries.optional().describe('How failed requests are tried again.'),
  headers: z
    .object({
      request: HeaderChange.optional().describe('Changes to request headers.'),
      response: HeaderChange.optional().describe('Changes to response headers.'),
    })
    .optional()
    .describe('Changes to headers.'),
  mirror: z
    .array(z.object({ backendRef: BackendRef.optional().describe('Where the copy goes.') }))
    .optional()
    .describe('Backends that always get a copy of each request; Gateway API only.'),
  corsPolicy: CorsPolicy.optional().describe('Cross-origin policy.'),
  meshName: z.string().optional().describe('App Mesh: name of the mesh.'),
  backends: z.array(z.string()).optional().describe('App Mesh: backends of the virtual nodes.'),
  apex: Metadata.optional().describe('Metadata of the apex Service and of routing objects.'),
  primary: Metadata.optional().describe('Metadata of the primary Service.'),
  canary: Metadata.optional().describe('Metadata of the canary Service.'),
  unmanagedMetadata: z
    .object({
      annotations: z.array(z.string()).optional().describe('Keys of annotations that keep their live value.'),
      labels: z.array(z.string()).optional().describe('Keys of labels that keep their live value.'),
    })
    .optional()
    .describe('Metadata of the Services that others manage.'),
});
export type Service = z.infer<typeof Service>;
