import * as z from 'zod';
import { providers } from '../../src/api/canary.ts';
import { providerByMesh } from '../../src/api/mesh-provider.ts';
import { type FlagName, flags } from '../../src/controller/flags.ts';
import { MOST_SHARDS } from '../../src/kube/permissions.ts';
import { metricsPermissions } from '../../src/metrics/permissions.ts';
import { templateKinds } from '../../src/notifiers/message-templates.ts';
import { secretsModes } from '../../src/workloads/configs/read-configs.ts';
import { kindPermissions, scalerPermissions } from '../../src/workloads/permissions.ts';
import { virtualVerbs } from '../admission/request-policy.ts';
import {
  common,
  image,
  inert,
  labels,
  meshPorts,
  names,
  namesByKey,
  number,
  onOff,
  peers,
  raw,
  rawList,
  securityContext,
  text,
} from './value-kinds.ts';

/** The help of a flag as a sentence of the chart; `empty` is the meaning of its empty value. */
function described(name: FlagName, empty?: string): string {
  const { help } = flags[name];
  return `${help.charAt(0).toUpperCase()}${help.slice(1)}${empty === undefined ? '' : `; if empty, ${empty}`}.`;
}
const byDefault = (name: FlagName): string => {
  const flag = flags[name];
  return described(name, 'fallback' in flag ? `\`${flag.fallback}\`` : undefined);
};

const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): K[] => Object.keys(table) as K[];

/**
 * Values of charts/serin, with the names of Flagger's chart. One source of values.yaml, values.schema.json and the README; an unknown value is
 * refused when the chart is rendered.
 */
export const Values = z.strictObject({
  image: image('Image of the controller.'),
  ...common,
  meshProvider: z
    .enum(['', ...providers, ...keysOf(providerByMesh)])
    .default('')
    .describe('Traffic provider of Canaries that name none; if empty, `istio`. docs/providers.md says what each can do.'),
  providers: z
    .array(z.enum(providers))
    .default([])
    .describe('Further providers, which Canaries name in `spec.provider`: the role has rules for these and for `meshProvider` only.'),
  kinds: z
    .array(z.enum(keysOf(kindPermissions)))
    .default(keysOf(kindPermissions))
    .describe('Kinds that `spec.targetRef` may name, beside Services, and those of Knative (provider `knative`): rules of the role.'),
  scalers: z
    .array(z.enum(keysOf(scalerPermissions)))
    .default(keysOf(scalerPermissions))
    .describe('Kinds that `spec.autoscalerRef` may name: rules of the role.'),
  companions: z
    .strictObject({
      podDisruptionBudgets: onOff(true, 'Of PodDisruptionBudgets.'),
      networkPolicies: onOff(true, 'Of NetworkPolicies, and of those by which others admit the target.'),
      verticalPodAutoscalers: onOff(true, 'Of VerticalPodAutoscalers.'),
    })
    .describe(
      'Kinds of which the primary gets an object of its own beside one of the target (docs/targets.md): `false` takes the rules out of the role.',
    ),
  metricBackends: z
    .array(z.enum(keysOf(metricsPermissions)))
    .default(keysOf(metricsPermissions))
    .describe('Metric backends that are queried through the API server: rules of the role.'),
  metricsServer: text(flags.metricsServer.fallback, described('metricsServer')),
  metricsServerSecret: text(
    '',
    'Secret with its credentials: `token`, or `username` and `password`; `header.NAME`; `ca.crt`; `tls.crt` and `tls.key`. If empty, none.',
  ),
  allowedAddresses: names(
    [],
    'Only these addresses and networks, like `10.0.0.0/8`, are called for Canaries, MetricTemplates and AlertProviders; if empty, all.',
  ),
  allowedLocalAddresses: names(
    [],
    'Loopback, link-local and own addresses, like `127.0.0.1`, that are also called for them (docs/security.md).',
  ),
  namespace: text('', 'Only this namespace; if empty, see `namespaces`. Then no ClusterRole is made.'),
  namespaces: names([], 'Only these namespaces, with a Role in each and no ClusterRole; if empty, the whole cluster.'),
  canarySelector: text('', described('canarySelector')),
  uninstallGrace: text('', byDefault('uninstallGrace')),
  journalLimit: text(
    '',
    'Releases of each Canary whose journals are kept for `serin replay` and `serin backtest`; `"0"` keeps none; if empty, 10.',
  ),
  selectorLabels: text('', byDefault('selectorLabels')),
  includeLabelPrefix: text('', described('includeLabelPrefix')),
  configTracking: z
    .strictObject({
      enabled: onOff(true, 'Release changes of the ConfigMaps and Secrets that targets read.'),
      takeOver: onOff(
        true,
        'Allow Serin to patch ConfigMaps and Secrets, to keep the copies that Flagger made when their Canary goes. Without Flagger, or once each Canary was promoted by Serin, set it to `false`.',
      ),
    })
    .describe('docs/configuration.md.'),
  secrets: z
    .strictObject({
      // To Helm's YAML a bare `off` is `false`.
      mode: z
        .union([z.enum(secretsModes), z.literal(false)])
        .default('watch')
        .describe('Tracking of the Secrets that targets read: `watch`, `get` or `off`.'),
      namespaces: names(
        [],
        'Serin may read only Secrets of these namespaces, with a Role for them in each; elsewhere none is tracked or referred to. If empty, of all its namespaces.',
      ),
      names: names(
        [],
        'Serin may read only Secrets of these names, in every mode: tracked, or referred to; if empty, all. Copies of tracked Secrets then stay until their Canary goes.',
      ),
      references: onOff(true, 'In mode `off`: Canaries, MetricTemplates and AlertProviders may refer to Secrets.'),
    })
    .describe('Access of Serin to Secrets.'),
  ingressAnnotationsPrefix: text('', byDefault('ingressAnnotationsPrefix')),
  ingressClass: text('', described('ingressClass')),
  requireSecretLabel: onOff(
    false,
    'Use only Secrets with the label `serin.dev/usable-by`, whichever `secretRef` names them (docs/security.md).',
  ),
  lowMemory: onOff(
    false,
    'Run without the optimizing compiler of Node: less memory, more CPU, for small clusters (docs/operating-at-scale.md).',
  ),
  podLogs: onOff(
    false,
    'Name the last lines of the log of a container that fails, in status, events and alerts. Grant `get` on `pods/log` yourself (docs/security.md).',
  ),
  kstatus: onOff(
    false,
    'Write the conditions `Ready`, `Reconciling` and `Stalled` and `status.observedGeneration`, by which Flux, Helm and kubectl wait for a release (docs/gitops.md).',
  ),
  arrival: z
    .enum(['refuse', 'warn'])
    .default('refuse')
    .describe(
      'Refuse, or warn of, a Canary whose arrival would cost a Service its endpoints or a security policy its effect (docs/arrival.md).',
    ),
  noCrossNamespaceRefs: onOff(false, 'Refuse Canaries that refer to objects, hosts or gateways of other namespaces (docs/security.md).'),
  allowedHosts: namesByKey(
    {},
    'Hosts that are allowed in routes, by namespace (`*`: any), like `{team-a: ["*.a.example.com"]}`; if empty, all, without `noCrossNamespaceRefs`.',
  ),
  allowedGateways: namesByKey(
    {},
    'Gateways of other namespaces that are allowed in routes, by namespace (`*`: any), like `{team-a: [istio-system/public]}`; if empty, the same.',
  ),
  eventWebhook: text('', 'URL that receives every event. Kept in a Secret.'),
  clusterName: text('', described('clusterName')),
  dashboardUrl: text('', described('dashboardUrl')),
  messageTemplates: z
    .partialRecord(z.enum(templateKinds), z.string())
    .default({})
    .describe('Texts of alerts by kind, like `{Failed: "{{name}} was rolled back"}`, as Mustache templates (docs/alerts.md).'),
  dashboard: z
    .strictObject({
      enabled: onOff(
        false,
        'Serve it: to a port-forward on port 8091, and with `dashboardUrl`, its address, by a Service of its own on port 8090. Ingress and DNS are yours.',
      ),
      verbs: onOff(false, 'Its users may promote, roll back and so on, where they have the right to patch the Canary.'),
      tokenAudience: text('', described('dashboardTokenAudience', 'that of the API server')),
      tls: z
        .strictObject({
          secretName: text(
            '',
            'Secret with `tls.crt` and `tls.key`; if empty, HTTP, for an ingress or a mesh that speaks TLS. A port-forward gets HTTP.',
          ),
        })
        .describe('Certificate of the dashboard.'),
      oidc: z
        .strictObject({
          issuerUrl: text('', described('dashboardOidcIssuerUrl', 'login only by token')),
          clientId: text('', described('dashboardOidcClientId')),
          clientSecret: z
            .strictObject({
              name: text('', 'Secret with the client secret; if empty, a public client.'),
              key: text('client-secret', 'Its key.'),
            })
            .describe('Client secret.'),
          scopes: names([], described('dashboardOidcScopes')),
          usernameClaim: text(flags.dashboardOidcUsernameClaim.fallback, described('dashboardOidcUsernameClaim')),
          usernamePrefix: text('', described('dashboardOidcUsernamePrefix')),
          groupsClaim: text('', described('dashboardOidcGroupsClaim', 'no groups')),
          groupsPrefix: text('', described('dashboardOidcGroupsPrefix', 'none')),
        })
        .describe('Login by an OpenID Connect provider, with the meaning of the flags of kube-apiserver.'),
      service: z
        .strictObject({
          port: z.int().min(1).max(65535).default(80).describe('Its port.'),
          annotations: labels({}, 'Its annotations.'),
        })
        .describe('Its Service, made with `dashboardUrl`. Sessions are of one replica: clients stay with it by their address.'),
      from: peers(
        'Peers that the network policy admits to its Service, like the pods of your ingress controller; if empty, none. Required with `dashboardUrl`.',
      ),
    })
    .describe('The dashboard in the browser: docs/dashboard.md.'),
  slack: z
    .strictObject({
      user: text('flagger', 'Name that alerts come from.'),
      channel: text('', 'Channel that they go to.'),
      url: text('', 'Webhook of Slack. Kept in a Secret.'),
      proxyUrl: text('', 'Proxy for Slack.'),
      proxy: text('', `${inert}Use \`slack.proxyUrl\`.`),
    })
    .describe('Alerts of Canaries without alerts of their own; a token is given by `env` (`SLACK_TOKEN`).'),
  msteams: z
    .strictObject({ url: text('', 'Webhook. Kept in a Secret; wins over Slack.'), proxyUrl: text('', 'Proxy for it.') })
    .describe('The same for Microsoft Teams.'),
  kubeconfigQPS: number(byDefault('kubeconfigQps')),
  kubeconfigBurst: number(byDefault('kubeconfigBurst')),
  controlplane: z
    .strictObject({
      kubeconfig: z
        .strictObject({
          secretName: text('', 'Secret that holds the kubeconfig of the cluster with the routing objects; if empty, this cluster.'),
          key: text('kubeconfig', 'Its key.'),
        })
        .describe('docs/meshes.md.'),
    })
    .describe('Routing objects in another cluster.'),
  leaderElection: z
    .strictObject({
      enabled: onOff(true, 'Elect one replica that writes. Without it a new pod starts after the old one is gone.'),
      replicaCount: z.int().min(0).default(1).describe('Replicas; 2 for a hand-over within seconds.'),
      shards: z
        .int()
        .min(1)
        .max(MOST_SHARDS)
        .default(1)
        .describe(
          'Parts of the Canaries, each with a leader of its own; replicas beyond their number are standbys. docs/operating-at-scale.md.',
        ),
    })
    .describe('High availability.'),
  env: rawList(
    'Environment of the container; `SLACK_URL`, `SLACK_TOKEN`, `MSTEAMS_URL`, `EVENT_WEBHOOK_URL` and the proxies win over values.',
  ),
  extraArgs: names([], 'Further flags of `serin controller`, like `--scale-down-delay=20s`.'),

  resources: raw(
    { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    'Requests and limits. The heap gets 60% of a memory limit.',
  ),
  securityContext,
  podSecurityContext: raw({}, 'Security context of the pod.'),
  annotations: labels({}, 'Annotations of the Deployment.'),
  deploymentLabels: labels({}, 'Further labels of the Deployment.'),
  podAnnotations: labels({ 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' }, 'Annotations of the pods.'),
  podLabels: labels({}, 'Further labels of the pods.'),
  podPriorityClassName: text('', 'Priority class.'),
  nodeSelector: labels({}, 'Nodes that the pods may run on.'),
  tolerations: rawList('Taints that they tolerate.'),
  affinity: raw({}, 'Affinity; if empty, replicas prefer different nodes.'),
  topologySpreadConstraints: rawList('Spread of the replicas.'),
  additionalVolumes: rawList('Further volumes.'),
  additionalVolumeMounts: rawList('Where they are mounted.'),

  serviceAccount: z
    .strictObject({
      create: onOff(true, 'Make one.'),
      name: text('', 'Its name; if empty, the full name, or `default` where none is made.'),
      annotations: labels({}, 'Its annotations, for identities of a cloud.'),
      tokenExpirationSeconds: z
        .int()
        .min(600)
        .default(3600)
        .describe(
          'Seconds for which a token of the pod is valid; the kubelet renews it. A volume of `additionalVolumeMounts` can replace it.',
        ),
    })
    .describe('Account of the controller.'),
  rbac: z
    .strictObject({
      create: onOff(true, 'Make roles and bindings; docs/permissions.md says what is in them.'),
      aggregate: onOff(true, 'Cluster-wide only: add the resources of `flagger.app` to the roles view, edit and admin.'),
      extraRules: rawList('Further rules of the controller.'),
      rights: text(
        '',
        'Roles and bindings in place of those of the chart, and of `rbac.extraRules`: the output of `serin rights`, by `--set-file rbac.rights=rights.yaml` (docs/rights.md); if empty, the chart makes them.',
      ),
      pspEnabled: onOff(false, `${inert}Kubernetes has no PodSecurityPolicy any more.`),
    })
    .describe('Permissions.'),
  admissionPolicy: z
    .strictObject({
      enabled: onOff(
        false,
        'Make a ValidatingAdmissionPolicy (Kubernetes 1.30 and later), for `namespaces` or the whole cluster: a request is in the name of its writer, and takes the right to it.',
      ),
      verbs: z
        .array(z.enum(virtualVerbs))
        .default([...virtualVerbs])
        .describe('Rights that the roles edit and admin get, where `rbac.aggregate` makes roles; others are granted by roles of your own.'),
    })
    .describe('Who may request `serin promote` and its kin: docs/verbs.md.'),
  apexGuard: z
    .strictObject({
      enabled: onOff(
        true,
        'Make a MutatingAdmissionPolicy where the API server has the kind (`admissionregistration.k8s.io/v1`, Kubernetes 1.36), for `namespaces` or the whole cluster. It is cluster-wide: the user who installs the chart needs the right to make it. `helm template` without a cluster needs `--api-versions admissionregistration.k8s.io/v1/MutatingAdmissionPolicy`, unless its own list has it.',
      ),
    })
    .describe('Keeps the selector of a Service that leads to a primary, whichever tool applies its manifest: docs/apex-guard.md.'),
  crds: z
    .strictObject({
      install: onOff(
        true,
        'Install and upgrade the resource definitions with the chart. Definitions of another release or tool stay unchanged. All stay when the chart goes.',
      ),
    })
    .describe('Resource definitions; `serin crds diff` compares them with a cluster.'),
  crd: z.strictObject({ create: onOff(false, `${inert}See \`crds.install\`.`) }).describe("Of Flagger's chart."),

  podDisruptionBudget: z
    .strictObject({
      enabled: onOff(false, 'Make one, where there is more than one replica.'),
      minAvailable: z
        .union([z.int().min(0), z.string()])
        .default(1)
        .describe('Replicas that stay.'),
    })
    .describe('For drains of nodes.'),
  networkPolicy: z
    .strictObject({
      enabled: onOff(
        true,
        'Make one: the pods are reached only by port 8080. Policies add up: where one of yours narrows who reaches it, set this to `false`, or `from`.',
      ),
      from: rawList('Peers that may reach them; if empty, all.'),
      meshPorts,
      egress: rawList(
        'Egress rules of the controller; if empty, all egress is allowed. It needs the API server, DNS, the metric backends and receivers.',
      ),
    })
    .describe('Network policy.'),
  service: z
    .strictObject({
      enabled: onOff(false, 'Make one, for scrapers that need it.'),
      port: z.int().min(1).max(65535).default(8080).describe('Its port.'),
    })
    .describe('Service in front of /metrics.'),
  podMonitor: z
    .strictObject({
      enabled: onOff(false, 'Make one (needs the Prometheus operator).'),
      namespace: text('', 'Its namespace; if empty, that of the controller.'),
      interval: text('15s', 'Between scrapes.'),
      additionalLabels: labels({}, 'Further labels.'),
      honorLabels: onOff(false, 'Keep labels of the metrics that the scraper also sets.'),
    })
    .describe('PodMonitor.'),
  prometheusRule: z
    .strictObject({
      enabled: onOff(
        false,
        'Make a PrometheusRule, with the alerts of docs/observability.md (needs the Prometheus operator). Labels of the metrics are kept then.',
      ),
      namespace: text('', 'Its namespace; if empty, that of the controller.'),
      additionalLabels: labels({}, 'Further labels.'),
      runbooks: text(
        'docs/runbooks.md',
        'Address of the runbooks, as your on-call engineers reach it: `runbook_url` of each alert leads to its section there.',
      ),
    })
    .describe('Alerts.'),
  serviceMonitor: z
    .strictObject({
      enabled: onOff(false, 'Make one, with a Service.'),
      namespace: text('', 'Its namespace; if empty, that of the controller.'),
      labels: labels({}, 'Further labels.'),
      honorLabels: onOff(false, 'Keep labels of the metrics that the scraper also sets.'),
    })
    .describe('ServiceMonitor.'),
  linkerdAuthPolicy: z
    .strictObject({
      create: onOff(false, 'Let Serin query the Prometheus of Linkerd’s viz extension; its pod becomes a part of the mesh for that.'),
      namespace: text('linkerd-viz', 'Where that is.'),
    })
    .describe('Linkerd.'),

  threadiness: number(`${inert}Each Canary has a queue of its own.`),
  prometheus: z
    .strictObject({
      install: onOff(false, 'This chart has no Prometheus, so `true` is refused: install one, and set `metricsServer`.'),
      image: text('', inert.trim()),
      pullSecret: text('', inert.trim()),
      retention: text('2h', inert.trim()),
      securityContext: raw({}, inert.trim()),
    })
    .describe("Of Flagger's chart."),
  global: raw({}, 'Values that a parent chart gives to all of its parts; none is read.'),
});
export type Values = z.infer<typeof Values>;
