import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { aDeployment, aService } from '../scenarios/troubles/objects.ts';
import { type Attack, type AttackClass, numbered } from './run/attack.ts';
import type { Tenant } from './run/tenant.ts';

const steps = { stepWeight: 50, maxWeight: 50 };
const harmless: Pick<Attack, 'expects'> = { expects: { harmless: true } };
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
    {
      what: "a Service that is there already, with the canary's name",
      from: 'CWE-284',
      do: before((tenant) => aService(tenant.namespace, `${tenant.name}-canary`)),
      expects: { names: '-canary' },
    },
    {
      what: "a Deployment that is there already, with the primary's name",
      from: 'CWE-284',
      do: before((tenant) => aDeployment(tenant.namespace, `${tenant.name}-primary`)),
      expects: { names: '-primary' },
    },
    {
      what: 'a Service of external addresses to take over',
      from: 'CVE-2020-8554',
      do: before(serviceWith({ externalIPs: ['10.96.0.1'] })),
      ...harmless,
    },
    {
      what: 'a Service that is an alias of the neighbour',
      from: 'CVE-2021-25740',
      do: before((tenant) => ({
        ...aService(tenant.namespace, tenant.name),
        spec: { type: 'ExternalName', externalName: 'web.shop.svc.cluster.local' },
      })),
      ...harmless,
    },
    { what: 'a Service without a selector to take over', from: 'CVE-2021-25740', do: before(serviceWith({ selector: null })), ...harmless },
    { what: 'a Service of type NodePort to take over', from: 'owasp', do: before(serviceWith({ type: 'NodePort' })), ...harmless },
    {
      what: 'labels of Services that select others',
      from: 'CWE-284',
      do: service({ apex: { labels: { app: 'web', 'kubernetes.io/service-name': 'web' } }, primary: { labels: { app: 'web' } } }),
      ...harmless,
    },
    {
      what: 'annotations of Services that Serin owns',
      from: 'CWE-345',
      do: service({
        apex: { annotations: { 'serin.dev/canary-uid': 'forged', 'serin.dev/adopt': 'true' } },
        canary: { annotations: { 'serin.dev/canary-uid': 'forged' } },
      }),
      ...harmless,
    },
    {
      what: 'annotations of Services that are no annotations',
      from: 'CWE-20',
      do: service({ apex: { annotations: { 'a b/c/d': 'x', '': 'y' }, labels: { 'x y': '!' } } }),
      expects: { names: 'metadata.labels' },
    },
    { what: 'the name of the API server as Service', from: 'CWE-284', do: service({ name: 'kubernetes' }), ...harmless },
    { what: 'a Service whose name is not one', from: 'CWE-20', do: service({ name: '-x_Y' }), expects: { names: 'service.name' } },
    {
      what: 'a Service with letters of another alphabet',
      from: 'CWE-1007',
      do: service({ name: 'wеb' }),
      expects: { names: 'service.name' },
    },
    {
      what: 'the apex of another Canary',
      from: 'CWE-284',
      async do(tenant) {
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
      },
      ...harmless,
    },
    {
      what: 'the primary of another Canary as target',
      from: 'CWE-284',
      async do(tenant) {
        await tenant.app(steps, { provider: 'istio' });
        await tenant.isReady();
        const canary = tenant.canary(steps, {
          provider: 'istio',
          targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `${tenant.name}-primary` },
          service: { port: 80 },
        });
        await tenant.make({ ...canary, metadata: { name: `${tenant.name}-loop`, namespace: tenant.namespace } });
        await tenant.field.reports.until(tenant.namespace, `${tenant.name}-loop`, 'a word', ({ conditions }) => conditions.length > 0);
      },
      ...harmless,
    },
    {
      what: 'a Canary whose generated names are those of another one',
      from: 'CWE-284',
      async do(tenant) {
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
      },
      ...harmless,
    },
    { what: "labels of the neighbour's application", from: 'CWE-284', do: labelled({ app: 'web' }), ...harmless },
    { what: "labels of the neighbour's primary", from: 'CWE-284', do: labelled({ app: 'web-primary' }), ...harmless },
    {
      what: 'labels of the controller',
      from: 'CVE-2024-31989',
      do: labelled({ app: 'serin', 'app.kubernetes.io/name': 'serin' }),
      ...harmless,
    },
    {
      what: 'a label whose value is too long for a primary',
      from: 'CWE-20',
      do: labelled({ app: 'a'.repeat(60) }),
      expects: { names: 'matchLabels' },
    },
    {
      what: 'a Service as target, of type ExternalName',
      from: 'CVE-2021-25740',
      async do(tenant) {
        await tenant.make(
          { ...aService(tenant.namespace, tenant.name), spec: { type: 'ExternalName', externalName: 'web.shop' } },
          tenant.canary({}, { targetRef: { apiVersion: 'v1', kind: 'Service', name: tenant.name } }),
        );
      },
      ...harmless,
    },
    {
      what: "endpoints by hand that are the neighbour's pods",
      from: 'CVE-2021-25740',
      do: before((tenant) => ({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: `${tenant.name}-x`, namespace: tenant.namespace, labels: { 'kubernetes.io/service-name': tenant.name } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.0.0.7'], conditions: { ready: true } }],
        ports: [{ name: 'http', port: 9898, protocol: 'TCP' }],
      })),
      ...harmless,
    },
    {
      what: 'an Ingress with a snippet to copy',
      from: 'CVE-2021-25742',
      async do(tenant) {
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
      },
      ...harmless,
    },
    {
      what: 'a header match of nginx that is a snippet',
      from: 'CVE-2021-25742',
      async do(tenant) {
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
      },
      expects: { names: 'match' },
    },
    {
      what: 'a cookie of session affinity with a line end',
      from: 'CWE-93',
      do: (tenant) => tenant.app({ ...steps, sessionAffinity: { cookieName: 'a\r\nset-cookie: b', maxAge: 10 } }, { provider: 'istio' }),
      expects: { names: 'ookie' },
    },
    {
      what: 'a cookie of session affinity for all domains',
      from: 'CWE-74',
      do: (tenant) =>
        tenant.app({ ...steps, sessionAffinity: { cookieName: 'a', domain: 'x; Secure=; Domain=shop\r\n' } }, { provider: 'istio' }),
      expects: { names: 'domain' },
    },
    {
      what: 'headers of the Service with a line end',
      from: 'CWE-93',
      do: service({ headers: { request: { set: { 'x-a': 'b\r\nx-evil: 1' } } } }),
      expects: { names: 'headers' },
    },
  ]),
  uncovered: ['admission of the cluster (Pod Security, quotas) decides which pods a tenant may run; Serin copies what exists.'],
};
