import { type Raw, raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, numbered } from './run/attack.ts';
import type { Tenant } from './run/tenant.ts';

const SHOP = 'shop';
/** A host in the tenant's namespace, so that only the gateway is refused. */
const OWN_HOST = 'web.evil-refs.svc.cluster.local';
const UP = ['..', '..'].join('/');
const steps = { stepWeight: 50, maxWeight: 50 };
const istio =
  (service: object, spec: object = {}) =>
  (tenant: Tenant) =>
    tenant.app(steps, { provider: 'istio', service: { port: 80, targetPort: 'http', ...service }, ...spec });
const via =
  (provider: string, service: object = {}, spec: object = {}) =>
  (tenant: Tenant) =>
    tenant.app(steps, { provider, service: { port: 80, targetPort: 'http', ...service }, ...spec });
const targetRef =
  (name: string, kind = 'Deployment', apiVersion = 'apps/v1') =>
  (tenant: Tenant) =>
    tenant.app({}, { targetRef: { apiVersion, kind, name } });
const scaler =
  (name: string, apiVersion = 'autoscaling/v2', kind = 'HorizontalPodAutoscaler') =>
  (tenant: Tenant) =>
    tenant.app({}, { autoscalerRef: { apiVersion, kind, name } });
/** No route of the tenant speaks for the neighbour's host. */
const noRoute = {
  async holds(tenant: Tenant) {
    await tenant.until(
      'a word',
      ({ phase, conditions }) => phase === 'Initialized' || conditions.some(({ type, status }) => type !== 'Promoted' && status !== 'True'),
    );
    const { items } = await tenant.field.environment.cluster.list({
      apiVersion: 'networking.istio.io/v1beta1',
      kind: 'VirtualService',
      namespace: tenant.namespace,
    });
    const taken = items.filter(
      ({ metadata, spec }: Raw) => metadata.name === tenant.name && JSON.stringify([spec.hosts, spec.gateways, spec.http]).includes(SHOP),
    );
    if (taken.length > 0) throw new Error(`a route of the tenant names ${SHOP}: ${JSON.stringify(taken[0]?.spec)}`);
  },
};

export const crossNamespace: AttackClass = {
  name: 'refs',
  title: 'references into another namespace, with --no-cross-namespace-refs',
  flags: { 'no-cross-namespace-refs': 'true' },
  attacks: numbered('XNS', [
    {
      what: "the neighbour's MetricTemplate",
      from: 'flux',
      do: (tenant) =>
        tenant.release({ metrics: [{ name: 'm', templateRef: { name: 'ok', namespace: SHOP }, thresholdRange: { min: 0 } }] }),
      expects: { names: 'spec.analysis.metrics[0].templateRef.namespace' },
    },
    {
      what: "the neighbour's MetricTemplate, by a path",
      from: 'CWE-22',
      do: (tenant) =>
        tenant.release({ metrics: [{ name: 'm', templateRef: { name: `${UP}/${SHOP}/metrictemplates/ok` }, thresholdRange: { min: 0 } }] }),
      expects: { names: 'templateRef' },
    },
    {
      what: "the neighbour's AlertProvider",
      from: 'flux',
      do: (tenant) => tenant.release({ alerts: [{ name: 'a', severity: 'info', providerRef: { name: 'chat', namespace: SHOP } }] }),
      expects: { names: 'spec.analysis.alerts[0].providerRef.namespace' },
    },
    {
      what: "the neighbour's AlertProvider, by a path",
      from: 'CWE-22',
      do: (tenant) =>
        tenant.release({ alerts: [{ name: 'a', severity: 'info', providerRef: { name: `${UP}/${SHOP}/alertproviders/chat` } }] }),
      expects: { names: 'providerRef' },
    },
    {
      what: "the neighbour's Upstream",
      from: 'flux',
      do: via('gloo', {}, { upstreamRef: { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream', name: 'u', namespace: SHOP } }),
      expects: { names: 'spec.upstreamRef.namespace' },
    },
    {
      what: "the neighbour's Gateway, of the Gateway API",
      from: 'gateway-api',
      do: via('gatewayapi:v1', { hosts: [OWN_HOST], gatewayRefs: [{ name: 'gw', namespace: SHOP }] }),
      expects: { names: 'gatewayRefs' },
    },
    {
      what: "the neighbour's Gateway, of Istio",
      from: 'issue 14',
      do: istio({ gateways: [`${SHOP}/gw`], hosts: [OWN_HOST] }),
      expects: { names: 'gateways' },
    },
    {
      what: "the neighbour's host, short",
      from: 'issue 14',
      do: istio({ hosts: [`web.${SHOP}`], gateways: ['mesh'] }),
      expects: { names: 'hosts' },
    },
    {
      what: "the neighbour's host, in full",
      from: 'istio',
      do: istio({ hosts: [`web.${SHOP}.svc.cluster.local`], gateways: ['mesh'] }),
      expects: { names: 'hosts' },
    },
    {
      what: "the neighbour's host with a dot at its end, in capitals",
      from: 'istio',
      do: istio({ hosts: [`WEB.${SHOP}.svc.cluster.local.`] }),
      expects: { names: 'hosts' },
    },
    { what: 'every host', from: 'istio', do: istio({ hosts: ['*'], gateways: ['mesh'] }), expects: { names: 'hosts' } },
    {
      what: "every host of the neighbour's namespace",
      from: 'istio',
      do: istio({ hosts: [`*.${SHOP}.svc.cluster.local`], gateways: ['mesh'] }),
      expects: { names: 'hosts' },
    },
    {
      what: "the neighbour's host of the Gateway API",
      from: 'gateway-api',
      do: via('gatewayapi:v1', { hosts: [`web.${SHOP}`], gatewayRefs: [{ name: 'gw' }] }),
      expects: { names: 'hosts' },
    },
    {
      what: "the neighbour's host as the name of the Service",
      from: 'CWE-20',
      do: istio({ name: `web.${SHOP}` }),
      expects: { names: 'service.name' },
    },
    {
      what: "a path to the neighbour's Service",
      from: 'CWE-22',
      do: istio({ name: `${UP}/${SHOP}/services/web` }),
      expects: { names: 'service.name' },
    },
    {
      what: "a mirror to the neighbour's Service",
      from: 'gateway-api',
      do: via('gatewayapi:v1', { gatewayRefs: [{ name: 'gw' }], mirror: [{ backendRef: { name: 'web', namespace: SHOP, port: 80 } }] }),
      expects: { names: 'mirror' },
    },
    {
      what: "a match on requests of the neighbour's pods",
      from: 'crd',
      do: istio({ match: [{ sourceNamespace: SHOP, uri: { prefix: '/' } }] }),
      expects: { harmless: true },
    },
    {
      what: "requests rewritten to the neighbour's authority",
      from: 'crd',
      do: istio({ rewrite: { uri: '/', authority: `web.${SHOP}` } }),
      expects: { harmless: true },
    },
    {
      what: "gateways within a match of the neighbour's",
      from: 'crd',
      do: istio({ match: [{ gateways: [`${SHOP}/gw`], uri: { prefix: '/' } }] }),
      expects: { names: 'gateways' },
    },
    {
      what: 'App Mesh backends of the neighbour',
      from: 'crd',
      do: via('appmesh:v1beta2', { backends: [`web.${SHOP}`], meshName: 'x' }),
      expects: { harmless: true },
    },
    {
      what: "a path to the neighbour's Deployment",
      from: 'CWE-22',
      do: targetRef(`${UP}/${SHOP}/deployments/web`),
      expects: { names: 'targetRef.name' },
    },
    {
      what: "the neighbour's Deployment by namespace and name",
      from: 'CWE-22',
      do: targetRef(`${SHOP}/web`),
      expects: { names: 'targetRef.name' },
    },
    {
      what: 'an encoded path',
      from: 'CWE-22',
      do: targetRef(`..%2f..%2f${SHOP}%2fdeployments%2fweb`),
      expects: { names: 'targetRef.name' },
    },
    { what: 'two dots', from: 'CVE-2022-36035', do: targetRef('..'), expects: { names: 'targetRef' } },
    {
      what: 'an API version that is a path',
      from: 'CWE-22',
      do: targetRef('web', 'Deployment', `apps/v1/namespaces/${SHOP}`),
      expects: { names: 'targetRef' },
    },
    {
      what: 'an API version with a query',
      from: 'CWE-74',
      do: targetRef('web', 'Deployment', `apps/v1?x=/${UP}/api/v1`),
      expects: { names: 'targetRef' },
    },
    {
      what: "a path to the neighbour's scaler",
      from: 'CWE-22',
      do: scaler(`${UP}/${SHOP}/horizontalpodautoscalers/web`),
      expects: { names: 'autoscalerRef' },
    },
    {
      what: 'a scaler of an API version that is a path',
      from: 'CWE-22',
      do: scaler('web', `autoscaling/v2/namespaces/${SHOP}`),
      expects: { names: 'autoscalerRef' },
    },
    {
      what: "a path to the neighbour's Secret, for a webhook",
      from: 'CWE-22',
      do: (tenant) => tenant.release({ webhooks: [tenant.hook({ secretRef: { name: `${UP}/${SHOP}/secrets/metrics` } })] }),
      expects: { names: 'secretRef' },
    },
    {
      what: "a path to the neighbour's Secret, for the metrics server",
      from: 'CWE-22',
      do: (tenant) =>
        tenant.release(
          { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
          { metricsServer: tenant.field.own.url(`/${tenant.name}`), metricsServerSecretRef: { name: `${UP}/${SHOP}/secrets/metrics` } },
        ),
      expects: { names: 'metrics not found' },
    },
    {
      what: "a path to the neighbour's Secret, for a template",
      from: 'CWE-22',
      do: (tenant) => tenant.measured({ provider: { secretRef: { name: `${UP}/${SHOP}/secrets/metrics` } } }),
      expects: { names: 'ecret' },
    },
    {
      what: "a path to the neighbour's authorities",
      from: 'CWE-22',
      do: (tenant) => tenant.measured({ provider: { caSecretRef: { name: `..%2F..%2F${SHOP}%2Fsecrets%2Fmetrics` } } }),
      expects: { names: 'is not found, or has no key' },
    },
    {
      what: "a path to the neighbour's Secret, for alerts",
      from: 'CWE-22',
      do: (tenant) => tenant.alerted({ address: undefined, secretRef: { name: `${UP}/${SHOP}/secrets/chat` } }),
      expects: { names: 'ecret' },
    },
    {
      what: "the neighbour's KeptnMetric",
      from: 'issue 14',
      do: (tenant) => tenant.measured({ provider: { type: 'keptn', address: undefined }, query: `keptnmetric/${SHOP}/m` }),
      expects: { names: SHOP },
    },
    {
      what: "the neighbour's KeptnMetric, by a path",
      from: 'CWE-22',
      do: (tenant) =>
        tenant.measured({ provider: { type: 'keptn', address: undefined }, query: `keptnmetric/${tenant.namespace}/..%2f..%2f${SHOP}` }),
      expects: { names: 'query' },
    },
    {
      what: "the neighbour's external metric",
      from: 'issue 14',
      do: (tenant) => tenant.measured({ provider: { type: 'externalmetrics', address: undefined }, query: `${SHOP}/queue` }),
      expects: { names: SHOP },
    },
    {
      what: 'an external metric that is a path to Secrets',
      from: 'CWE-441',
      do: (tenant) =>
        tenant.measured({
          provider: { type: 'externalmetrics', address: undefined },
          query: `${UP}/${UP}/api/v1/namespaces/${SHOP}/secrets`,
        }),
      expects: { names: 'query' },
    },
    {
      what: "a path to the neighbour's Ingress",
      from: 'CWE-22',
      do: via('nginx', {}, { ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: `${UP}/${SHOP}/ingresses/web` } }),
      expects: { names: 'ingressRef' },
    },
    {
      what: "a path to the neighbour's ApisixRoute",
      from: 'CWE-22',
      do: via(
        'apisix',
        {},
        { routeRef: { apiVersion: 'apisix.apache.org/v2', kind: 'ApisixRoute', name: `${UP}/${SHOP}/apisixroutes/web` } },
      ),
      expects: { names: 'routeRef' },
    },
    {
      what: 'files of the proxies as client certificates',
      from: 'crd',
      do: istio({
        trafficPolicy: {
          tls: { mode: 'MUTUAL', clientCertificate: '/var/run/secrets/kubernetes.io/serviceaccount/token', privateKey: '/etc/passwd' },
        },
      }),
      expects: { harmless: true },
    },
    {
      what: 'a configuration in a Secret of the neighbour',
      from: 'CWE-284',
      async do(tenant) {
        const deployment = aDeployment(tenant.namespace, tenant.name);
        raw(deployment).spec.template.spec.containers[0].envFrom = [{ secretRef: { name: `../${SHOP}/keys` } }];
        await tenant.make(deployment, tenant.canary());
      },
      expects: { harmless: true },
    },
    {
      what: "no route of the tenant's names the neighbour, whatever was refused",
      from: 'CVE-2021-25740',
      do: istio({ hosts: [`web-primary.${SHOP}.svc.cluster.local`], gateways: ['mesh'] }),
      expects: noRoute,
    },
  ]),
  uncovered: [
    'routes that the tenant writes directly: RBAC on virtualservices and httproutes, and exportTo or ReferenceGrants of the mesh, decide on them.',
    'hosts and gateways by allow-list for each namespace are not tried with their own flags.',
  ],
};
