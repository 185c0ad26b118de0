import { raw } from '../../fakes/raw.ts';
import type { AppName, ProviderFixture } from './provider-fixture.ts';

const apiVersion = 'apisix.apache.org/v2';
const host = ({ name, namespace }: AppName) => `${name}.${namespace}.example.org`;

interface Rule {
  name: string;
  backends: { serviceName: string; weight?: number }[];
  [field: string]: unknown;
}
const http = (edit: (rules: Rule[]) => object[]): ProviderFixture['edits'][string] => {
  return (object) => ({ ...object, spec: { ...raw(object).spec, http: edit(structuredClone(raw(object).spec.http)) } });
};
const eachRule = (edit: (rule: Rule) => object) => http((rules) => rules.map(edit));

export const apisix: ProviderFixture = {
  provider: 'apisix',
  tutorial: ['Apache APISIX', 'Serin divides the traffic in an ApisixRoute of its own beside yours.'],
  objects: (app) => [
    {
      apiVersion,
      kind: 'ApisixRoute',
      metadata: { name: app.name, namespace: app.namespace },
      spec: {
        ingressClassName: 'apisix',
        http: [
          {
            name: 'main',
            match: { hosts: [host(app)], paths: ['/*'] },
            backends: [{ serviceName: app.name, servicePort: 80 }],
            plugins: [{ name: 'prometheus', enable: true, config: { prefer_name: true } }],
          },
          {
            name: 'elsewhere',
            match: { hosts: [host(app)], paths: ['/elsewhere/*'] },
            backends: [{ serviceName: 'elsewhere', servicePort: 80 }],
          },
        ],
      },
    },
  ],
  spec: ({ name }) => ({ routeRef: { apiVersion, kind: 'ApisixRoute', name } }),
  host,
  countsBothSides: true,
  mergesByKey: true,
  route: ({ name, namespace }) => ({ apiVersion, kind: 'ApisixRoute', name: `${name}-${name}-canary`, namespace }),
  edits: {
    'all weight to the canary': eachRule((rule) => ({
      ...rule,
      backends: rule.backends.map((backend) => ({ ...backend, weight: backend.serviceName.endsWith('-canary') ? 100 : 0 })),
    })),
    'no weights': eachRule((rule) => ({ ...rule, backends: rule.backends.map(({ weight: _weight, ...backend }) => backend) })),
    'one backend less': eachRule((rule) => ({ ...rule, backends: rule.backends.slice(0, 1) })),
    'one backend more': eachRule((rule) => ({
      ...rule,
      backends: [...rule.backends, { serviceName: 'elsewhere', servicePort: 80, weight: 100 }],
    })),
    'a rule of their own': http((rules) => [...rules, { ...rules[0], name: 'theirs', match: { paths: ['/theirs'] } }]),
    'no rule at all': http(() => []),
    'a lower priority': eachRule((rule) => ({ ...rule, priority: -1 })),
    'a condition': eachRule((rule) => ({
      ...rule,
      match: { paths: ['/*'], exprs: [{ subject: { scope: 'Header', name: 'x-theirs' }, op: 'Equal', value: 'yes' }] },
    })),
  },
};
