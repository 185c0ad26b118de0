import * as z from 'zod';
import { common, image, inert, labels, meshPorts, names, onOff, raw, rawList, securityContext, text } from './value-kinds.ts';

const ended = `${inert}AWS App Mesh has ended, and no VirtualNode is made.`;
const secretKey = (key: string, about: string) =>
  z.strictObject({ name: text('', 'Its name; if empty, none.'), key: text(key, 'Its key.') }).describe(about);

/**
 * Values of charts/loadtester, with the names of Flagger's chart. One source of values.yaml, values.schema.json and the README; an unknown value
 * is refused when the chart is rendered.
 */
export const LoadTesterValues = z.strictObject({
  replicaCount: z.int().min(0).default(1).describe('0 or 1: gates are the state of one process. Make another release for another one.'),
  image: image('Image of the load tester: that of Serin, or one made `FROM` it with the programs of your tests.'),
  ...common,
  cmd: z
    .strictObject({
      timeout: text('1h', 'Time limit of a task.'),
      namespaceRegexp: text('', 'Only for Canaries of namespaces that match as a whole; if empty, all.'),
    })
    .describe('Tasks.'),
  commands: z
    .strictObject({
      namespaces: names([], 'Canaries of namespaces that match one of these as a whole may run any command; others only `hey` and `curl`.'),
      unauthenticated: onOff(false, 'Also without credentials: every client that reaches the port then runs commands.'),
    })
    .describe('Commands by a shell, `helm` and `kubectl`; docs/loadtester.md.'),
  credentials: z
    .strictObject({
      secretName: text('', 'Secret with keys `NAMESPACE.token` and `NAMESPACE.signingKey`: each speaks for Canaries of its namespace.'),
      token: secretKey('token', 'Secret with a bearer token that speaks for all Canaries.'),
      signingKey: secretKey('signingKey', 'Secret with a key of signatures that speak for all Canaries.'),
    })
    .describe('Credentials of callers; without any, every client that reaches the port may call. Rotated Secrets count without a restart.'),
  persistence: z
    .strictObject({
      enabled: onOff(false, 'Keep gates in a volume of their own; otherwise they last as long as the pod.'),
      existingClaim: text('', 'An existing claim; if empty, one is made.'),
      size: text('16Mi', 'Its size.'),
      storageClass: text('', 'Its class; if empty, the default of the cluster.'),
      accessModes: names(['ReadWriteOnce'], 'Its modes.'),
      annotations: labels({}, 'Its annotations.'),
    })
    .describe('Open gates.'),
  extraArgs: names([], 'Further flags of `serin loadtester`, like `--max-tasks=100`.'),
  env: rawList('Environment of the container.'),
  volumes: rawList('Further volumes.'),
  volumeMounts: rawList('Where they are mounted.'),

  service: z
    .strictObject({
      type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).default('ClusterIP').describe('Its type.'),
      port: z.int().min(1).max(65535).default(80).describe('Its port.'),
    })
    .describe('Service that webhooks call.'),
  networkPolicy: z
    .strictObject({
      enabled: onOff(false, 'Make one: the port is reached only by `from`.'),
      from: rawList('Clients that may call, and scrape; if empty, all.'),
      meshPorts,
      egress: rawList('Egress rules of load and tests; if empty, all egress is allowed. They need DNS.'),
    })
    .describe('Network policy.'),

  resources: raw(
    { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '512Mi' } },
    'Requests and limits. Commands count as well: raise them with `commands`.',
  ),
  securityContext,
  podSecurityContext: z
    .strictObject({ enabled: onOff(true, 'Set it.'), context: raw({ fsGroup: 65532 }, 'Its group owns the volume of gates.') })
    .describe('Security context of the pod.'),
  annotations: labels({}, 'Annotations of the Deployment.'),
  podAnnotations: labels({ 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' }, 'Annotations of the pods.'),
  podLabels: labels({}, 'Further labels of the pods.'),
  podPriorityClassName: text('', 'Priority class.'),
  terminationGracePeriodSeconds: z.int().min(30).default(40).describe('More than `--grace` (25 s) of blocking tasks.'),
  nodeSelector: labels({}, 'Nodes that the pod may run on.'),
  tolerations: rawList('Taints that it tolerates.'),
  affinity: raw({}, 'Affinity.'),

  serviceAccountName: text('', 'An existing account, with its token; if empty, see `rbac.create`.'),
  rbac: z
    .strictObject({
      create: onOff(false, 'Make an account with `rules`. The load tester itself needs none, so that without it the pod gets no token.'),
      scope: z.enum(['', 'namespace', 'cluster']).default('').describe('`cluster`: a ClusterRole; otherwise a Role.'),
      rules: rawList('Rules for commands.'),
      serviceAccountAnnotations: labels({}, 'Annotations of the account, for identities of a cloud.'),
    })
    .describe('Permissions of commands.'),

  istio: z
    .strictObject({
      enabled: onOff(false, 'Make a VirtualService, bound to the Gateway of the same name. Refused without credentials.'),
      host: text('flagger-loadtester.flagger', 'Its host.'),
      gateway: z.strictObject({ enabled: onOff(false, 'Make that Gateway.') }).describe('Gateway.'),
      tls: z
        .strictObject({
          enabled: onOff(false, 'Serve TLS at port 443.'),
          httpsRedirect: onOff(false, 'Send plain HTTP there.'),
          credentialName: text('', 'Secret of the certificate; if empty, files in `/etc/istio/ingressgateway-certs`.'),
        })
        .describe('TLS of the Gateway.'),
    })
    .describe('From outside of the cluster, through Istio.'),

  podDisruptionBudget: z
    .strictObject({
      enabled: onOff(false, `${inert}For one replica it would keep nodes from being drained.`),
      minAvailable: z
        .union([z.int().min(0), z.string()])
        .default(1)
        .describe(inert.trim()),
    })
    .describe("Of Flagger's chart."),
  meshName: text('', ended),
  backends: z.array(z.unknown()).default([]).describe(ended),
  appmesh: z
    .strictObject({ enabled: onOff(false, ended), backends: z.array(z.unknown()).default([]).describe(ended) })
    .describe("Of Flagger's chart."),
  global: raw({}, 'Values that a parent chart gives to all of its parts; none is read.'),
});
export type LoadTesterValues = z.infer<typeof LoadTesterValues>;
