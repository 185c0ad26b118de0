import { type Raw, raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
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
    attack('flux', "the neighbour's MetricTemplate", { names: 'spec.analysis.metrics[0].templateRef.namespace' }, (tenant) =>
      tenant.release({ metrics: [{ name: 'm', templateRef: { name: 'ok', namespace: SHOP }, thresholdRange: { min: 0 } }] }),
    ),
    attack('CWE-22', "the neighbour's MetricTemplate, by a path", { names: 'templateRef' }, (tenant) =>
      tenant.release({ metrics: [{ name: 'm', templateRef: { name: `${UP}/${SHOP}/metrictemplates/ok` }, thresholdRange: { min: 0 } }] }),
    ),
    attack('flux', "the neighbour's AlertProvider", { names: 'spec.analysis.alerts[0].providerRef.namespace' }, (tenant) =>
      tenant.release({ alerts: [{ name: 'a', severity: 'info', providerRef: { name: 'chat', namespace: SHOP } }] }),
    ),
    attack('CWE-22', "the neighbour's AlertProvider, by a path", { names: 'providerRef' }, (tenant) =>
      tenant.release({ alerts: [{ name: 'a', severity: 'info', providerRef: { name: `${UP}/${SHOP}/alertproviders/chat` } }] }),
    ),
    attack(
      'flux',
      "the neighbour's Upstream",
      { names: 'spec.upstreamRef.namespace' },
      via('gloo', {}, { upstreamRef: { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream', name: 'u', namespace: SHOP } }),
    ),
    attack(
      'gateway-api',
      "the neighbour's Gateway, of the Gateway API",
      { names: 'gatewayRefs' },
      via('gatewayapi:v1', { hosts: [OWN_HOST], gatewayRefs: [{ name: 'gw', namespace: SHOP }] }),
    ),
    attack('issue 14', "the neighbour's Gateway, of Istio", { names: 'gateways' }, istio({ gateways: [`${SHOP}/gw`], hosts: [OWN_HOST] })),
    attack('issue 14', "the neighbour's host, short", { names: 'hosts' }, istio({ hosts: [`web.${SHOP}`], gateways: ['mesh'] })),
    attack(
      'istio',
      "the neighbour's host, in full",
      { names: 'hosts' },
      istio({ hosts: [`web.${SHOP}.svc.cluster.local`], gateways: ['mesh'] }),
    ),
    attack(
      'istio',
      "the neighbour's host with a dot at its end, in capitals",
      { names: 'hosts' },
      istio({ hosts: [`WEB.${SHOP}.svc.cluster.local.`] }),
    ),
    attack('istio', 'every host', { names: 'hosts' }, istio({ hosts: ['*'], gateways: ['mesh'] })),
    attack(
      'istio',
      "every host of the neighbour's namespace",
      { names: 'hosts' },
      istio({ hosts: [`*.${SHOP}.svc.cluster.local`], gateways: ['mesh'] }),
    ),
    attack(
      'gateway-api',
      "the neighbour's host of the Gateway API",
      { names: 'hosts' },
      via('gatewayapi:v1', { hosts: [`web.${SHOP}`], gatewayRefs: [{ name: 'gw' }] }),
    ),
    attack('CWE-20', "the neighbour's host as the name of the Service", { names: 'service.name' }, istio({ name: `web.${SHOP}` })),
    attack('CWE-22', "a path to the neighbour's Service", { names: 'service.name' }, istio({ name: `${UP}/${SHOP}/services/web` })),
    attack(
      'gateway-api',
      "a mirror to the neighbour's Service",
      { names: 'mirror' },
      via('gatewayapi:v1', { gatewayRefs: [{ name: 'gw' }], mirror: [{ backendRef: { name: 'web', namespace: SHOP, port: 80 } }] }),
    ),
    attack(
      'crd',
      "a match on requests of the neighbour's pods",
      harmless,
      istio({ match: [{ sourceNamespace: SHOP, uri: { prefix: '/' } }] }),
    ),
    attack('crd', "requests rewritten to the neighbour's authority", harmless, istio({ rewrite: { uri: '/', authority: `web.${SHOP}` } })),
    attack(
      'crd',
      "gateways within a match of the neighbour's",
      { names: 'gateways' },
      istio({ match: [{ gateways: [`${SHOP}/gw`], uri: { prefix: '/' } }] }),
    ),
    attack('crd', 'App Mesh backends of the neighbour', harmless, via('appmesh:v1beta2', { backends: [`web.${SHOP}`], meshName: 'x' })),
    attack('CWE-22', "a path to the neighbour's Deployment", { names: 'targetRef.name' }, targetRef(`${UP}/${SHOP}/deployments/web`)),
    attack('CWE-22', "the neighbour's Deployment by namespace and name", { names: 'targetRef.name' }, targetRef(`${SHOP}/web`)),
    attack('CWE-22', 'an encoded path', { names: 'targetRef.name' }, targetRef(`..%2f..%2f${SHOP}%2fdeployments%2fweb`)),
    attack('CVE-2022-36035', 'two dots', { names: 'targetRef' }, targetRef('..')),
    attack('CWE-22', 'an API version that is a path', { names: 'targetRef' }, targetRef('web', 'Deployment', `apps/v1/namespaces/${SHOP}`)),
    attack('CWE-74', 'an API version with a query', { names: 'targetRef' }, targetRef('web', 'Deployment', `apps/v1?x=/${UP}/api/v1`)),
    attack('CWE-22', "a path to the neighbour's scaler", { names: 'autoscalerRef' }, scaler(`${UP}/${SHOP}/horizontalpodautoscalers/web`)),
    attack(
      'CWE-22',
      'a scaler of an API version that is a path',
      { names: 'autoscalerRef' },
      scaler('web', `autoscaling/v2/namespaces/${SHOP}`),
    ),
    attack('CWE-22', "a path to the neighbour's Secret, for a webhook", { names: 'secretRef' }, (tenant) =>
      tenant.release({ webhooks: [tenant.hook({ secretRef: { name: `${UP}/${SHOP}/secrets/metrics` } })] }),
    ),
    attack('CWE-22', "a path to the neighbour's Secret, for the metrics server", { names: 'metrics not found' }, (tenant) =>
      tenant.release(
        { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
        { metricsServer: tenant.field.own.url(`/${tenant.name}`), metricsServerSecretRef: { name: `${UP}/${SHOP}/secrets/metrics` } },
      ),
    ),
    attack('CWE-22', "a path to the neighbour's Secret, for a template", { names: 'ecret' }, (tenant) =>
      tenant.measured({ provider: { secretRef: { name: `${UP}/${SHOP}/secrets/metrics` } } }),
    ),
    attack('CWE-22', "a path to the neighbour's authorities", { names: 'is not found, or has no key' }, (tenant) =>
      tenant.measured({ provider: { caSecretRef: { name: `..%2F..%2F${SHOP}%2Fsecrets%2Fmetrics` } } }),
    ),
    attack('CWE-22', "a path to the neighbour's Secret, for alerts", { names: 'ecret' }, (tenant) =>
      tenant.alerted({ address: undefined, secretRef: { name: `${UP}/${SHOP}/secrets/chat` } }),
    ),
    attack('issue 14', "the neighbour's KeptnMetric", { names: SHOP }, (tenant) =>
      tenant.measured({ provider: { type: 'keptn', address: undefined }, query: `keptnmetric/${SHOP}/m` }),
    ),
    attack('CWE-22', "the neighbour's KeptnMetric, by a path", { names: 'query' }, (tenant) =>
      tenant.measured({ provider: { type: 'keptn', address: undefined }, query: `keptnmetric/${tenant.namespace}/..%2f..%2f${SHOP}` }),
    ),
    attack('issue 14', "the neighbour's external metric", { names: SHOP }, (tenant) =>
      tenant.measured({ provider: { type: 'externalmetrics', address: undefined }, query: `${SHOP}/queue` }),
    ),
    attack('CWE-441', 'an external metric that is a path to Secrets', { names: 'query' }, (tenant) =>
      tenant.measured({
        provider: { type: 'externalmetrics', address: undefined },
        query: `${UP}/${UP}/api/v1/namespaces/${SHOP}/secrets`,
      }),
    ),
    attack(
      'CWE-22',
      "a path to the neighbour's Ingress",
      { names: 'ingressRef' },
      via('nginx', {}, { ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: `${UP}/${SHOP}/ingresses/web` } }),
    ),
    attack(
      'CWE-22',
      "a path to the neighbour's ApisixRoute",
      { names: 'routeRef' },
      via('apisix', {}, { routeRef: { apiVersion: 'apisix.apache.org/v2', kind: 'ApisixRoute', name: `${UP}/${SHOP}/apisixroutes/web` } }),
    ),
    attack(
      'crd',
      'files of the proxies as client certificates',
      harmless,
      istio({
        trafficPolicy: {
          tls: { mode: 'MUTUAL', clientCertificate: '/var/run/secrets/kubernetes.io/serviceaccount/token', privateKey: '/etc/passwd' },
        },
      }),
    ),
    attack('CWE-284', 'a configuration in a Secret of the neighbour', harmless, async (tenant) => {
      const deployment = aDeployment(tenant.namespace, tenant.name);
      raw(deployment).spec.template.spec.containers[0].envFrom = [{ secretRef: { name: `../${SHOP}/keys` } }];
      await tenant.make(deployment, tenant.canary());
    }),
    attack(
      'CVE-2021-25740',
      "no route of the tenant's names the neighbour, whatever was refused",
      noRoute,
      istio({ hosts: [`web-primary.${SHOP}.svc.cluster.local`], gateways: ['mesh'] }),
    ),
  ]),
  uncovered: [
    'routes that the tenant writes directly: RBAC on virtualservices and httproutes, and exportTo or ReferenceGrants of the mesh, decide on them.',
    'hosts and gateways by allow-list for each namespace are not tried with their own flags.',
  ],
};
