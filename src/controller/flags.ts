import { companionNames } from '../workloads/companions/kind-names.ts';
import type { SecretsMode } from '../workloads/configs/read-configs.ts';

/** Name of a value of charts/serin that sets a flag, or the reason why none does. */
export type ChartValue = string | { none: string };

/** Value of a flag: `pairs` is `namespace=list` and can be repeated. `rate` is a number, and 0 means client-go's default. */
export type FlagKind = 'text' | 'list' | 'pairs' | 'switch' | 'duration' | 'count' | 'rate';

/** One flag of `serin controller`. */
export interface Flag {
  kind: FlagKind;
  /** Placeholder of the value in the help, like `<url>`. A switch has none. */
  value?: string;
  /** One sentence without a full stop, for the help, the chart and the documentation. */
  help: string;
  /** Default in its command-line form, `undefined` if the flag can be left out. */
  fallback?: string | boolean;
  /** Shown in the help in place of an empty default. */
  shown?: string;
  /** The values that are accepted, where they are few. */
  choices?: readonly string[];
  /** Hidden in the help: for tests, and for networks of a special kind. */
  isHidden?: true;
  /** Environment variable that wins over the flag. */
  env?: string;
  /** Only the command uses it: it is not a setting of the controller. */
  isOfCommand?: true;
  chart: ChartValue;
}

const inSecret = { none: 'kept in a Secret, and read from the environment' };
const ownAccount = { none: 'a pod uses its own service account' };
const seldomChanged = { none: 'its default suits most clusters; use extraArgs' };

/**
 * The flags of `serin controller`, in the order of its help. Flags of Flagger keep their names and meaning. The command line, the
 * settings (`config.ts`) and docs/flags.md are made from this table.
 */
export const flags = {
  kubeconfig: {
    kind: 'text',
    value: '<file>',
    help: 'kubeconfig; default: $KUBECONFIG, the pod’s service account, ~/.kube/config',
    isOfCommand: true,
    chart: ownAccount,
  },
  master: {
    kind: 'text',
    value: '<url>',
    help: 'address of the API server, instead of the kubeconfig’s',
    isOfCommand: true,
    chart: ownAccount,
  },
  kubeconfigServiceMesh: {
    kind: 'text',
    value: '<file>',
    help: 'kubeconfig of the cluster that holds the routing objects of meshes and ingress proxies; default: the same cluster',
    isOfCommand: true,
    chart: 'controlplane.kubeconfig',
  },
  namespace: {
    kind: 'list',
    value: '<name>',
    help: 'only this namespace',
    fallback: '',
    shown: 'all',
    isOfCommand: true,
    chart: 'namespace',
  },
  namespaces: {
    kind: 'list',
    value: '<list>',
    help: 'only these namespaces; permissions in each of them are enough',
    fallback: '',
    shown: 'all',
    chart: 'namespaces',
  },
  canarySelector: {
    kind: 'text',
    value: '<selector>',
    help: 'only Canaries with these labels, like team=shop; others are left alone',
    fallback: '',
    shown: 'all',
    chart: 'canarySelector',
  },
  meshProvider: {
    kind: 'text',
    value: '<name>',
    help: 'traffic provider of Canaries that name none',
    fallback: 'istio',
    chart: 'meshProvider',
  },
  ingressClass: {
    kind: 'text',
    value: '<name>',
    help: 'ingress class of generated HTTPProxies of Contour',
    fallback: '',
    shown: 'none',
    chart: 'ingressClass',
  },
  ingressAnnotationsPrefix: {
    kind: 'text',
    value: '<prefix>',
    help: 'prefix of the annotations of ingress-nginx',
    fallback: 'nginx.ingress.kubernetes.io',
    chart: 'ingressAnnotationsPrefix',
  },
  metricsServer: {
    kind: 'text',
    value: '<url>',
    help: 'Prometheus for built-in and inline checks',
    fallback: 'http://prometheus:9090',
    chart: 'metricsServer',
  },
  metricsServerSecret: {
    kind: 'text',
    value: '<folder>',
    help: 'folder of a mounted Secret for it: token, or username and password; header.NAME; ca.crt; tls.crt and tls.key ($METRICS_SERVER_TOKEN, $METRICS_SERVER_USERNAME and $METRICS_SERVER_PASSWORD win)',
    isOfCommand: true,
    chart: 'metricsServerSecret',
  },
  selectorLabels: {
    kind: 'list',
    value: '<list>',
    help: 'labels that may select a target, by priority',
    fallback: 'app,name,app.kubernetes.io/name',
    chart: 'selectorLabels',
  },
  includeLabelPrefix: {
    kind: 'list',
    value: '<list>',
    help: 'prefixes of labels that are copied to primaries; * is all',
    fallback: '',
    shown: 'none',
    chart: 'includeLabelPrefix',
  },
  companions: {
    kind: 'list',
    value: '<list>',
    help: 'kinds of which a primary gets a companion beside an object of its target: podDisruptionBudgets, networkPolicies, verticalPodAutoscalers',
    fallback: companionNames.join(','),
    chart: 'companions',
  },
  enableConfigTracking: {
    kind: 'switch',
    help: 'release changes of the ConfigMaps and Secrets that targets read',
    fallback: true,
    chart: 'configTracking.enabled',
  },
  secretsMode: {
    kind: 'text',
    value: '<mode>',
    help: 'track Secrets by watching their metadata by name, by reading them when a release starts, or not',
    fallback: 'watch',
    choices: ['watch', 'get', 'off'] satisfies SecretsMode[],
    chart: 'secrets.mode',
  },
  secretsNamespaces: {
    kind: 'list',
    value: '<list>',
    help: 'track Secrets in these namespaces only; elsewhere primaries read the originals',
    fallback: '',
    shown: 'all',
    chart: 'secrets.namespaces',
  },
  secretsNames: {
    kind: 'list',
    value: '<list>',
    help: 'track Secrets of these names only; primaries read the originals of others',
    fallback: '',
    shown: 'all',
    chart: 'secrets.names',
  },
  minAnalysisInterval: {
    kind: 'duration',
    value: '<duration>',
    help: 'shortest analysis.interval: shorter ones are raised to it',
    fallback: '10s',
    chart: seldomChanged,
  },
  scaleDownDelay: {
    kind: 'duration',
    value: '<duration>',
    help: 'time for which a side without traffic keeps its pods; default: one interval, at most 30s',
    chart: seldomChanged,
  },
  uninstallGrace: {
    kind: 'duration',
    value: '<duration>',
    help: 'time for which a target and its Canary must both be gone before what was generated for them is removed',
    fallback: '5m',
    chart: 'uninstallGrace',
  },
  eventWebhook: {
    kind: 'text',
    value: '<url>',
    help: 'URL that receives every event',
    fallback: '',
    shown: 'none',
    env: 'EVENT_WEBHOOK_URL',
    chart: inSecret,
  },
  clusterName: { kind: 'text', value: '<name>', help: 'shown in every alert', fallback: '', shown: 'none', chart: 'clusterName' },
  dashboardUrl: {
    kind: 'text',
    value: '<url>',
    help: 'address of the dashboard, to which every alert links',
    fallback: '',
    shown: 'none',
    chart: 'dashboardUrl',
  },
  messageTemplatesFile: {
    kind: 'text',
    value: '<file>',
    help: 'YAML file with texts of alerts by kind, as Mustache templates; it is read once, at the start',
    isOfCommand: true,
    chart: 'messageTemplates',
  },
  dashboard: {
    kind: 'switch',
    help: 'serve the dashboard to users who log in, by the address of --dashboard-url or a port-forward',
    fallback: false,
    isOfCommand: true,
    chart: 'dashboard.enabled',
  },
  dashboardPort: {
    kind: 'count',
    value: '<number>',
    help: 'its port, under the address of --dashboard-url; closed without one; 0 picks one',
    fallback: '8090',
    isOfCommand: true,
    chart: { none: 'the port of the container is fixed' },
  },
  dashboardLocalPort: {
    kind: 'count',
    value: '<number>',
    help: 'its port on the loopback address, for kubectl port-forward; 0 picks one',
    fallback: '8091',
    isOfCommand: true,
    chart: { none: 'the port of the container is fixed' },
  },
  dashboardVerbs: {
    kind: 'switch',
    help: 'let users of the dashboard promote, roll back and so on, where they have the right to patch the Canary',
    fallback: false,
    isOfCommand: true,
    chart: 'dashboard.verbs',
  },
  dashboardTlsCertFile: {
    kind: 'text',
    value: '<file>',
    help: 'certificates of the dashboard, in PEM; without them HTTP, behind an ingress or a mesh that speaks TLS',
    fallback: '',
    shown: 'none',
    isOfCommand: true,
    chart: 'dashboard.tls.secretName',
  },
  dashboardTlsKeyFile: {
    kind: 'text',
    value: '<file>',
    help: 'key of these certificates',
    fallback: '',
    shown: 'none',
    isOfCommand: true,
    chart: 'dashboard.tls.secretName',
  },
  dashboardTokenAudience: {
    kind: 'text',
    value: '<name>',
    help: 'audience that tokens for the login must have',
    fallback: '',
    shown: 'that of the API server',
    isOfCommand: true,
    chart: 'dashboard.tokenAudience',
  },
  dashboardOidcIssuerUrl: {
    kind: 'text',
    value: '<url>',
    help: 'OpenID Connect provider by which users can also log in',
    fallback: '',
    shown: 'none',
    isOfCommand: true,
    chart: 'dashboard.oidc.issuerUrl',
  },
  dashboardOidcClientId: {
    kind: 'text',
    value: '<id>',
    help: 'client id of the dashboard there; the redirect URI is /login/callback of --dashboard-url',
    fallback: '',
    shown: 'none',
    isOfCommand: true,
    chart: 'dashboard.oidc.clientId',
  },
  dashboardOidcClientSecretFile: {
    kind: 'text',
    value: '<file>',
    help: 'file with the client secret; without it a public client',
    fallback: '',
    shown: 'none',
    isOfCommand: true,
    chart: 'dashboard.oidc.clientSecret.name',
  },
  dashboardOidcScopes: {
    kind: 'list',
    value: '<list>',
    help: 'scopes that are requested beside openid, like email,groups',
    fallback: '',
    shown: 'none',
    isOfCommand: true,
    chart: 'dashboard.oidc.scopes',
  },
  dashboardOidcUsernameClaim: {
    kind: 'text',
    value: '<claim>',
    help: 'claim with the user name, as --oidc-username-claim of kube-apiserver',
    fallback: 'sub',
    isOfCommand: true,
    chart: 'dashboard.oidc.usernameClaim',
  },
  dashboardOidcUsernamePrefix: {
    kind: 'text',
    value: '<prefix>',
    help: 'prefix of user names; - is none; default: the issuer and #, and none for the claim email',
    fallback: '',
    shown: 'see there',
    isOfCommand: true,
    chart: 'dashboard.oidc.usernamePrefix',
  },
  dashboardOidcGroupsClaim: {
    kind: 'text',
    value: '<claim>',
    help: 'claim with the groups of the user',
    fallback: '',
    shown: 'none',
    isOfCommand: true,
    chart: 'dashboard.oidc.groupsClaim',
  },
  dashboardOidcGroupsPrefix: {
    kind: 'text',
    value: '<prefix>',
    help: 'prefix of these groups',
    fallback: '',
    shown: 'none',
    isOfCommand: true,
    chart: 'dashboard.oidc.groupsPrefix',
  },
  slackUrl: {
    kind: 'text',
    value: '<url>',
    help: 'Slack webhook for the alerts of Canaries without alerts of their own',
    fallback: '',
    shown: 'none',
    env: 'SLACK_URL',
    chart: inSecret,
  },
  slackToken: {
    kind: 'text',
    value: '<token>',
    help: 'bot token, with https://slack.com/api/chat.postMessage as URL',
    fallback: '',
    shown: 'none',
    env: 'SLACK_TOKEN',
    chart: { none: 'a secret; use env' },
  },
  slackProxyUrl: {
    kind: 'text',
    value: '<url>',
    help: 'proxy for Slack',
    fallback: '',
    shown: 'none',
    env: 'SLACK_PROXY_URL',
    chart: 'slack.proxyUrl',
  },
  slackUser: { kind: 'text', value: '<name>', help: 'name that alerts come from', fallback: 'flagger', chart: 'slack.user' },
  slackChannel: { kind: 'text', value: '<name>', help: 'channel that alerts go to', fallback: '', shown: 'none', chart: 'slack.channel' },
  msteamsUrl: {
    kind: 'text',
    value: '<url>',
    help: 'the same for Microsoft Teams, instead of Slack',
    fallback: '',
    shown: 'none',
    env: 'MSTEAMS_URL',
    chart: inSecret,
  },
  msteamsProxyUrl: {
    kind: 'text',
    value: '<url>',
    help: 'proxy for Microsoft Teams',
    fallback: '',
    shown: 'none',
    env: 'MSTEAMS_PROXY_URL',
    chart: 'msteams.proxyUrl',
  },
  allowedAddresses: {
    kind: 'list',
    value: '<list>',
    help: 'only these addresses and networks, like 10.0.0.0/8, are called for Canaries, MetricTemplates and AlertProviders',
    fallback: '',
    shown: 'all',
    chart: 'allowedAddresses',
  },
  allowedLocalAddresses: {
    kind: 'list',
    value: '<list>',
    help: 'loopback, link-local and own addresses, like 127.0.0.1, that are called for them all the same; metadata services never are',
    fallback: '',
    shown: 'none',
    chart: 'allowedLocalAddresses',
  },
  requireSecretLabel: {
    kind: 'switch',
    help: 'use only Secrets with the label serin.dev/usable-by, whichever secretRef names them',
    fallback: false,
    chart: 'requireSecretLabel',
  },
  podLogs: {
    kind: 'switch',
    help: 'name the last lines of the log of a container that fails, in status, events and alerts; needs get on pods/log (docs/security.md)',
    fallback: false,
    chart: 'podLogs',
  },
  kstatus: {
    kind: 'switch',
    help: 'write the conditions Ready, Reconciling and Stalled and status.observedGeneration, by which Flux, Helm and kubectl wait for a release (docs/gitops.md)',
    fallback: false,
    chart: 'kstatus',
  },
  noCrossNamespaceRefs: {
    kind: 'switch',
    help: 'refuse Canaries that refer to objects, hosts or gateways of other namespaces',
    fallback: false,
    chart: 'noCrossNamespaceRefs',
  },
  arrival: {
    kind: 'text',
    value: '<mode>',
    help: 'refuse, or warn of, a Canary whose arrival would cost a Service its endpoints or a security policy its effect',
    fallback: 'refuse',
    choices: ['refuse', 'warn'],
    chart: 'arrival',
  },
  allowedHosts: {
    kind: 'pairs',
    value: '<namespace=hosts>',
    help: 'hosts that are allowed in routes of a namespace (* is any), like team-a=*.a.example.com,a.example.com; can be repeated',
    chart: 'allowedHosts',
  },
  allowedGateways: {
    kind: 'pairs',
    value: '<namespace=gateways>',
    help: 'gateways that are allowed in routes of a namespace (* is any), like team-a=istio-system/public; can be repeated',
    chart: 'allowedGateways',
  },
  journalLimit: {
    kind: 'count',
    value: '<number>',
    help: 'releases of each Canary whose journals are kept for serin replay and serin backtest; 0 keeps none',
    fallback: '10',
    chart: 'journalLimit',
  },
  port: {
    kind: 'count',
    value: '<number>',
    help: 'port of /metrics, /livez, /readyz and /healthz; 0 picks one',
    fallback: '8080',
    chart: { none: 'the port of the container is fixed' },
  },
  enableLeaderElection: {
    kind: 'switch',
    help: 'run several replicas, one of which leads, or one for each shard',
    fallback: false,
    chart: 'leaderElection.enabled',
  },
  shards: {
    kind: 'count',
    value: '<number>',
    help: 'parts into which the Canaries are divided, each looked after by one replica at a time; more than 1 needs --enable-leader-election',
    fallback: '1',
    chart: 'leaderElection.shards',
  },
  leaderElectionNamespace: {
    kind: 'text',
    value: '<name>',
    help: 'namespace of the lease, or of the leases of the shards',
    fallback: 'kube-system',
    chart: 'leaderElection.enabled',
  },
  leaseDuration: {
    kind: 'duration',
    value: '<duration>',
    help: 'after this long without a renewal a standby takes over',
    fallback: '15s',
    chart: seldomChanged,
  },
  renewDeadline: {
    kind: 'duration',
    value: '<duration>',
    help: 'after this long without a renewal the leader stops writing',
    fallback: '10s',
    chart: seldomChanged,
  },
  retryPeriod: { kind: 'duration', value: '<duration>', help: 'pause between renewals', fallback: '2s', chart: seldomChanged },
  kubeconfigQps: {
    kind: 'rate',
    value: '<number>',
    help: 'requests a second to the API server',
    fallback: '400',
    isOfCommand: true,
    chart: 'kubeconfigQPS',
  },
  kubeconfigBurst: {
    kind: 'rate',
    value: '<number>',
    help: 'requests at once to the API server',
    fallback: '1000',
    isOfCommand: true,
    chart: 'kubeconfigBurst',
  },
  apiServerTimeout: {
    kind: 'duration',
    value: '<duration>',
    help: 'exit after so long without an answer from the API server, so that Kubernetes restarts the pod; 0s never',
    fallback: '10m',
    isOfCommand: true,
    chart: seldomChanged,
  },
  watchSilence: {
    kind: 'duration',
    value: '<duration>',
    help: 'a watch without events for so long is opened again',
    fallback: '150s',
    isHidden: true,
    isOfCommand: true,
    chart: seldomChanged,
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** Name of a flag in the code: `canarySelector` is `--canary-selector`. */
export type FlagName = keyof typeof flags;

/** All flags with their names. */
export const flagEntries = Object.entries(flags) as [FlagName, Flag][];

/** The name on the command line, without dashes. */
export const writtenName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
