import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { AppName, ProviderFixture } from './provider-fixture.ts';

interface Side {
  name: string;
  weight?: number;
}
const hostOf = ({ name, namespace }: AppName) => `${name}.${namespace}.example.org`;
const services =
  (edit: (sides: Side[]) => object[]) =>
  (object: KubeObject): KubeObject => ({
    ...object,
    spec: { weighted: { services: edit(structuredClone(raw(object).spec.weighted.services)) } },
  });

export const traefik: ProviderFixture = {
  provider: 'traefik',
  tutorial: ['Traefik', 'Your IngressRoute leads to a TraefikService, which the release takes over.'],
  // The user's own TraefikService, which the release takes over: they are served before Serin comes, and after it has gone.
  objects: (app) => [
    {
      apiVersion: 'traefik.io/v1alpha1',
      kind: 'TraefikService',
      metadata: { ...app },
      spec: { weighted: { services: [{ name: app.name, port: 80 }] } },
    },
    {
      apiVersion: 'traefik.io/v1alpha1',
      kind: 'IngressRoute',
      metadata: { ...app },
      spec: {
        entryPoints: ['web'],
        routes: [
          {
            kind: 'Rule',
            match: `Host(\`${hostOf(app)}\`) && PathPrefix(\`/\`)`,
            services: [{ kind: 'TraefikService', name: app.name, namespace: app.namespace }],
          },
        ],
      },
    },
  ],
  host: hostOf,
  route: ({ name, namespace }) => ({ apiVersion: 'traefik.io/v1alpha1', kind: 'TraefikService', name, namespace }),
  edits: {
    'the canary alone': services((sides) => sides.slice(1).map((side) => ({ ...side, weight: 100 }))),
    'the primary alone': services((sides) => sides.slice(0, 1)),
    'half and half, as 100 and 100': services((sides) => sides.map((side) => ({ ...side, weight: 100 }))),
    'weights left out': services((sides) => sides.map(({ weight: _, ...side }) => side)),
    'the other order': services((sides) => sides.toReversed()),
    'another service besides': services((sides) => [...sides, { name: 'elsewhere', port: 80, weight: 1 }]),
    'a cookie': (object) => ({
      ...object,
      spec: { weighted: { ...raw(object).spec.weighted, sticky: { cookie: { name: 'theirs' } } } },
    }),
    'a mirror besides': (object) => ({
      ...object,
      spec: { ...raw(object).spec, mirroring: { name: 'elsewhere', port: 80, mirrors: [] } },
    }),
  },
  leaves: {
    'a cookie': 'stickiness that the user adds to the split stays',
    'a mirror besides': 'Traefik looks at no other field where there is `weighted`',
  },
};
