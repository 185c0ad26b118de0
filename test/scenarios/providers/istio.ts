import { raw } from '../../fakes/raw.ts';
import type { ProviderFixture } from './provider-fixture.ts';

const http = (edit: (rules: { route: { weight?: number }[] }[]) => unknown): ProviderFixture['edits'][string] => {
  return (object) => {
    const copy = structuredClone(object);
    raw(copy).spec.http = edit(raw(copy).spec.http);
    return copy;
  };
};

export const istio: ProviderFixture = {
  provider: 'istio',
  tutorial: ['Istio', 'Serin makes a VirtualService and two DestinationRules; clients are in the mesh, and call the Service.'],
  host: ({ name, namespace }) => `${name}.${namespace}`,
  route: ({ name, namespace }) => ({ apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name, namespace }),
  edits: {
    'all weight to the canary': http((rules) =>
      rules.map((rule) => ({ ...rule, route: rule.route.map((side, index) => ({ ...side, weight: 100 * index })) })),
    ),
    'half and half': http((rules) => rules.map((rule) => ({ ...rule, route: rule.route.map((side) => ({ ...side, weight: 50 })) }))),
    'a rule of their own before ours': http((rules) => [{ match: [{ uri: { prefix: '/theirs' } }], ...rules[0] }, ...rules]),
    'no rule at all': http(() => []),
    'a timeout': http((rules) => rules.map((rule) => ({ ...rule, timeout: '7s' }))),
    'other hosts': (object) => ({ ...object, spec: { ...raw(object).spec, hosts: ['elsewhere.example.org'] } }),
  },
};
