import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { aDeployment, aService } from '../scenarios/troubles/objects.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
import type { Tenant } from './run/tenant.ts';

const steps = { stepWeight: 50, maxWeight: 50 };
const service =
  (over: object, provider = 'istio') =>
  (tenant: Tenant) =>
    tenant.app(steps, { provider, service: { port: 80, targetPort: 'http', ...over } });
const before =
  (...make: ((tenant: Tenant) => KubeObject)[]) =>
  async (tenant: Tenant) => {
    await tenant.make(...make.map((one) => one(tenant)));
    await tenant.app(steps, { provider: 'istio' });
    await tenant.isReady();
  };
const labelled = (labels: Record<string, string>) => async (tenant: Tenant) => {
  const deployment = aDeployment(tenant.namespace, tenant.name);
  raw(deployment).spec.selector.matchLabels = labels;
  raw(deployment).spec.template.metadata.labels = labels;
  await tenant.make(deployment, tenant.canary());
  await tenant.isReady();
};
const serviceWith =
  (over: object, name = '') =>
  (tenant: Tenant): KubeObject => {
    const made = aService(tenant.namespace, `${tenant.name}${name}`, tenant.name);
    return { ...made, spec: { ...raw(made).spec, ...over } };
  };

export const capture: AttackClass = {
  name: 'capture',
  title: 'names, labels and selectors that capture objects or traffic',
  attacks: numbered('CAP', [
    attack(
      'CWE-284',
      "a Service that is there already, with the canary's name",
      { names: '-canary' },
      before((tenant) => aService(tenant.namespace, `${tenant.name}-canary`)),
    ),
    attack(
      'CWE-284',
      "a Deployment that is there already, with the primary's name",
      { names: '-primary' },
      before((tenant) => aDeployment(tenant.namespace, `${tenant.name}-primary`)),
    ),
    attack('CVE-2020-8554', 'a Service of external addresses to take over', harmless, before(serviceWith({ externalIPs: ['10.96.0.1'] }))),
    attack(
      'CVE-2021-25740',
      'a Service that is an alias of the neighbour',
      harmless,
      before((tenant) => ({
        ...aService(tenant.namespace, tenant.name),
        spec: { type: 'ExternalName', externalName: 'web.shop.svc.cluster.local' },
      })),
    ),
    attack('CVE-2021-25740', 'a Service without a selector to take over', harmless, before(serviceWith({ selector: null }))),
    attack('owasp', 'a Service of type NodePort to take over', harmless, before(serviceWith({ type: 'NodePort' }))),
    attack(
      'CWE-284',
      'labels of Services that select others',
      harmless,
      service({ apex: { labels: { app: 'web', 'kubernetes.io/service-name': 'web' } }, primary: { labels: { app: 'web' } } }),
    ),
    attack(
      'CWE-345',
      'annotations of Services that Serin owns',
      harmless,
      service({
        apex: { annotations: { 'serin.dev/canary-uid': 'forged', 'serin.dev/adopt': 'true' } },
        canary: { annotations: { 'serin.dev/canary-uid': 'forged' } },
      }),
    ),
    attack(
      'CWE-20',
      'annotations of Services that are no annotations',
      { names: 'metadata.labels' },
      service({ apex: { annotations: { 'a b/c/d': 'x', '': 'y' }, labels: { 'x y': '!' } } }),
    ),
    attack('CWE-284', 'the name of the API server as Service', harmless, service({ name: 'kubernetes' })),
    attack('CWE-20', 'a Service whose name is not one', { names: 'service.name' }, service({ name: '-x_Y' })),
    attack('CWE-1007', 'a Service with letters of another alphabet', { names: 'service.name' }, service({ name: 'wеb' })),
    attack('CWE-284', 'the apex of another Canary', harmless, async (tenant) => {
      await tenant.app(steps, { provider: 'istio' });
      await tenant.isReady();
      const twin = {
        ...tenant.canary(steps, {
          provider: 'istio',
          targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `${tenant.name}-b` },
          service: { name: tenant.name, port: 80 },
        }),
      };
      await tenant.make(aDeployment(tenant.namespace, `${tenant.name}-b`), {
        ...twin,
        metadata: { name: `${tenant.name}-b`, namespace: tenant.namespace },
      });
      await tenant.field.reports.until(tenant.namespace, `${tenant.name}-b`, 'a refusal', ({ conditions }) =>
        conditions.some(({ reason }) => reason === 'TargetTaken'),
      );
    }),
    attack('CWE-284', 'the primary of another Canary as target', harmless, async (tenant) => {
      await tenant.app(steps, { provider: 'istio' });
      await tenant.isReady();
      const canary = tenant.canary(steps, {
        provider: 'istio',
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `${tenant.name}-primary` },
        service: { port: 80 },
      });
      await tenant.make({ ...canary, metadata: { name: `${tenant.name}-loop`, namespace: tenant.namespace } });
      await tenant.field.reports.until(tenant.namespace, `${tenant.name}-loop`, 'a word', ({ conditions }) => conditions.length > 0);
    }),
    attack('CWE-284', 'a Canary whose generated names are those of another one', harmless, async (tenant) => {
      await tenant.app(steps, { provider: 'istio' });
      await tenant.isReady();
      const canary = tenant.canary(steps, {
        provider: 'istio',
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `${tenant.name}-c` },
        service: { name: `${tenant.name}-primary`, port: 80 },
      });
      await tenant.make(aDeployment(tenant.namespace, `${tenant.name}-c`), {
        ...canary,
        metadata: { name: `${tenant.name}-c`, namespace: tenant.namespace },
      });
      await tenant.field.reports.until(tenant.namespace, `${tenant.name}-c`, 'a word', ({ conditions }) => conditions.length > 0);
    }),
    attack('CWE-284', "labels of the neighbour's application", harmless, labelled({ app: 'web' })),
    attack('CWE-284', "labels of the neighbour's primary", harmless, labelled({ app: 'web-primary' })),
    attack('CVE-2024-31989', 'labels of the controller', harmless, labelled({ app: 'serin', 'app.kubernetes.io/name': 'serin' })),
    attack('CWE-20', 'a label whose value is too long for a primary', { names: 'matchLabels' }, labelled({ app: 'a'.repeat(60) })),
    attack('CVE-2021-25740', 'a Service as target, of type ExternalName', harmless, async (tenant) => {
      await tenant.make(
        { ...aService(tenant.namespace, tenant.name), spec: { type: 'ExternalName', externalName: 'web.shop' } },
        tenant.canary({}, { targetRef: { apiVersion: 'v1', kind: 'Service', name: tenant.name } }),
      );
    }),
    attack(
      'CVE-2021-25740',
      "endpoints by hand that are the neighbour's pods",
      harmless,
      before((tenant) => ({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: `${tenant.name}-x`, namespace: tenant.namespace, labels: { 'kubernetes.io/service-name': tenant.name } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.0.0.7'], conditions: { ready: true } }],
        ports: [{ name: 'http', port: 9898, protocol: 'TCP' }],
      })),
    ),
    attack('CVE-2021-25742', 'an Ingress with a snippet to copy', harmless, async (tenant) => {
      await tenant.make({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: {
          name: tenant.name,
          namespace: tenant.namespace,
          annotations: { 'nginx.ingress.kubernetes.io/configuration-snippet': 'return 200 "$secret";' },
        },
        spec: {
          ingressClassName: 'nginx',
          rules: [
            {
              host: `web.shop`,
              http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: tenant.name, port: { number: 80 } } } }] },
            },
          ],
        },
      });
      await tenant.app(steps, {
        provider: 'nginx',
        ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: tenant.name },
      });
      await tenant.isReady();
    }),
    attack('CVE-2021-25742', 'a header match of nginx that is a snippet', { names: 'match' }, async (tenant) => {
      await tenant.make({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: tenant.name, namespace: tenant.namespace },
        spec: {
          rules: [
            {
              host: 'evil.test',
              http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: tenant.name, port: { number: 80 } } } }] },
            },
          ],
        },
      });
      await tenant.release(
        {
          iterations: 2,
          stepWeight: undefined,
          maxWeight: undefined,
          match: [{ headers: { 'x";} location / { root /etc; } #': { exact: '"; return 200 "' } } }],
        },
        { provider: 'nginx', ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: tenant.name } },
      );
    }),
    attack('CWE-93', 'a cookie of session affinity with a line end', { names: 'ookie' }, (tenant) =>
      tenant.app({ ...steps, sessionAffinity: { cookieName: 'a\r\nset-cookie: b', maxAge: 10 } }, { provider: 'istio' }),
    ),
    attack('CWE-74', 'a cookie of session affinity for all domains', { names: 'domain' }, (tenant) =>
      tenant.app({ ...steps, sessionAffinity: { cookieName: 'a', domain: 'x; Secure=; Domain=shop\r\n' } }, { provider: 'istio' }),
    ),
    attack(
      'CWE-93',
      'headers of the Service with a line end',
      { names: 'headers' },
      service({ headers: { request: { set: { 'x-a': 'b\r\nx-evil: 1' } } } }),
    ),
  ]),
  uncovered: ['admission of the cluster (Pod Security, quotas) decides which pods a tenant may run; Serin copies what exists.'],
};
