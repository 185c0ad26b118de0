import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { AppName, ProviderFixture } from './provider-fixture.ts';

export const ingressHost = ({ name, namespace }: AppName) => `${name}.${namespace}.example.org`;
export const ingressCopy = ({ name, namespace }: AppName) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  name: `${name}-canary`,
  namespace,
});
export const ingressSpec = ({ name }: AppName) => ({ ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name } });

/** The Ingress of the application, with a path to the Service of another team beside its own. */
export const anIngress =
  (ingressClassName: string) =>
  (app: AppName): KubeObject[] => {
    const path = (at: string, service: string) => ({
      path: at,
      pathType: 'Prefix',
      backend: { service: { name: service, port: { name: 'http' } } },
    });
    return [
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: app.name, namespace: app.namespace },
        spec: {
          ingressClassName,
          rules: [{ host: ingressHost(app), http: { paths: [path('/', app.name), path('/elsewhere', 'elsewhere')] } }],
        },
      },
    ];
  };

type Edit = ProviderFixture['edits'][string];

/** Sets annotations of the copy, and removes undefined ones. */
export const annotate =
  (annotations: Record<string, string | undefined>): Edit =>
  (object) => {
    const all = { ...object.metadata.annotations, ...annotations };
    const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(kept) } };
  };

interface Spec {
  rules: { host?: string; http: { paths: { path: string; backend: { service: { name: string } } }[] } }[];
  [field: string]: unknown;
}

/** Edits of what any copy of an Ingress holds in its spec. */
const spec =
  (edit: (spec: Spec) => object): Edit =>
  (object) => ({ ...object, spec: edit(structuredClone(raw(object).spec)) });
const eachPath = (edit: (path: Spec['rules'][number]['http']['paths'][number]) => object): Edit =>
  spec((found) => ({
    ...found,
    rules: found.rules.map((rule) => ({ ...rule, http: { paths: rule.http.paths.map(edit) } })),
  }));

export const ingressEdits: ProviderFixture['edits'] = {
  'another host': spec((found) => ({ ...found, rules: found.rules.map((rule) => ({ ...rule, host: 'elsewhere.example.org' })) })),
  'another path': eachPath((path) => ({ ...path, path: '/theirs' })),
  'another Service behind it': eachPath((path) => ({ ...path, backend: { service: { name: 'elsewhere', port: { number: 80 } } } })),
  'a rule more': spec((found) => ({ ...found, rules: [...found.rules, { ...found.rules[0], host: 'more.example.org' }] })),
  'another class': spec((found) => ({ ...found, ingressClassName: 'elsewhere' })),
};
