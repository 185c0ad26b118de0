import * as z from 'zod';
import { type AllowList, gatewayEntries, hostEntries, parseAllowList } from '../api/allow-list.ts';
import { DEFAULT_MESH_PROVIDER, MeshProvider } from '../api/mesh-provider.ts';
import { secretsModes } from '../workloads/configs/read-configs.ts';
import { allowedAddressProblem } from './outgoing/outgoing.ts';

const allowList = (entries: typeof hostEntries) =>
  z
    .array(z.string())
    .default([])
    .transform((values, context): AllowList => {
      const list = parseAllowList(values, entries);
      if (!('problem' in list)) return list;
      context.addIssue({ code: 'custom', message: list.problem });
      return z.NEVER;
    });

const seconds = (fallback: number) => z.number().min(0).default(fallback);

/** Settings of the controller; one flag each, `selectorLabels` being `--selector-labels`. Times are in milliseconds inside. */
export const ControllerConfig = z.object({
  namespaces: z.array(z.string()).default([]).describe('namespaces to watch; none is all of the cluster'),
  canarySelector: z.string().default('').describe('label selector of the Canaries to look after; empty is all'),
  meshProvider: MeshProvider.default(DEFAULT_MESH_PROVIDER).describe('traffic provider of Canaries that name none'),
  ingressAnnotationsPrefix: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a prefix of annotations, like nginx.ingress.kubernetes.io')
    .default('nginx.ingress.kubernetes.io')
    .describe('prefix of the annotations of ingress-nginx'),
  ingressClass: z.string().default('').describe('ingress class of generated HTTPProxies of Contour; empty is none'),
  remoteRoutes: z.boolean().default(false).describe('routing objects of meshes lie in another cluster, where nothing of them has an owner'),
  metricsServer: z
    .url({ protocol: /^https?$/, error: ({ input }) => `${input} must be an http(s) URL: write it like http://prometheus:9090` })
    .default('http://prometheus:9090')
    .describe('Prometheus for built-in and inline checks'),
  selectorLabels: z
    .array(z.string())
    .default(['app', 'name', 'app.kubernetes.io/name'])
    .describe('labels that may select a target, by priority'),
  includeLabelPrefix: z.array(z.string()).default([]).describe('prefixes of labels copied to primaries; * is all'),
  enableConfigTracking: z.boolean().default(true).describe('release changes of the ConfigMaps and Secrets that targets read'),
  secretsMode: z
    .enum(secretsModes)
    .default('watch')
    .describe('how Secrets are tracked: watch (by name, metadata only), get (read when a release starts) or off'),
  secretsNamespaces: z.array(z.string()).default([]).describe('namespaces in which Secrets are tracked; none is all'),
  secretsNames: z.array(z.string()).default([]).describe('Secrets that are tracked; none is all'),
  minAnalysisIntervalMs: seconds(10_000).describe('floor of analysis.interval'),
  scaleDownDelayMs: z
    .number()
    .min(0)
    .optional()
    .describe('how long a side that lost its traffic keeps its pods; default: one interval, at most 30 s'),
  uninstallGraceMs: seconds(300_000).describe('how long target and Canary must both be gone before what was generated for them goes'),
  eventWebhook: z.string().default('').describe('URL that receives every event'),
  clusterName: z.string().default('').describe('shown in every alert'),
  slackUrl: z.string().default('').describe('where alerts of Canaries without alerts of their own go; empty is nowhere'),
  slackToken: z.string().default('').describe('bot token for slackUrl'),
  slackProxyUrl: z.string().default(''),
  slackUser: z.string().default('flagger'),
  slackChannel: z.string().default(''),
  msteamsUrl: z.string().default('').describe('the same for Teams, which wins over Slack'),
  msteamsProxyUrl: z.string().default(''),
  requireSecretLabel: z.boolean().default(false).describe('use only Secrets that carry the label serin.dev/usable-by'),
  noCrossNamespaceRefs: z.boolean().default(false).describe('refuse Canaries that refer to other namespaces'),
  allowedHosts: allowList(hostEntries).describe('hosts that routes may take, by namespace; none is all, without noCrossNamespaceRefs'),
  allowedGateways: allowList(gatewayEntries).describe('gateways of other namespaces that routes may use, by namespace; none is the same'),
  allowedAddresses: z
    .array(
      z.string().superRefine((entry, context) => {
        const message = allowedAddressProblem(entry);
        if (message) context.addIssue({ code: 'custom', message });
      }),
    )
    .default([])
    .describe('addresses and networks that Canaries, MetricTemplates and AlertProviders may have called; none is all'),
  apiServers: z.array(z.string()).default([]).describe('addresses of API servers, whose answers are never shown'),
  proxyEnvironment: z.record(z.string(), z.string()).default({}).describe('the variables that name proxies, as the process has them'),
  threads: z.int().min(1).default(4).describe('threads of the process for look-ups of names and files, which UV_THREADPOOL_SIZE sets'),
  port: z.int().default(8080).describe('port of /metrics and the health endpoints'),
  enableLeaderElection: z.boolean().default(false),
  leaderElectionNamespace: z.string().default('kube-system'),
  leaseDurationMs: seconds(15_000),
  renewDeadlineMs: seconds(10_000),
  retryPeriodMs: seconds(2_000),
  journalLimit: z.int().min(0).max(100).default(10).describe('releases of each Canary whose journals are kept; 0 keeps none'),
  historyLimit: z.int().min(1).default(5).describe('promoted templates that are kept for a failed promotion and undo'),
});
export type ControllerConfig = z.infer<typeof ControllerConfig>;

/** How long a side without traffic keeps its pods (ARCHITECTURE.md, "Traffic first, pods later"). */
export function scaleDownDelayMs(config: ControllerConfig, intervalMs: number): number {
  return config.scaleDownDelayMs ?? Math.min(intervalMs, 30_000);
}
