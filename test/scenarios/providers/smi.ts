import type { Provider } from '../../../src/api/canary.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { ProviderFixture } from './provider-fixture.ts';

const spec =
  (edit: (spec: { backends: { service: string }[] }) => object) =>
  (object: KubeObject): KubeObject => ({ ...object, spec: edit(structuredClone(object.spec)) });

export const smi = (provider: Provider, version: string): ProviderFixture => ({
  provider,
  host: ({ name, namespace }) => `${name}.${namespace}`,
  route: ({ name, namespace }) => ({ apiVersion: `split.smi-spec.io/${version}`, kind: 'TrafficSplit', name, namespace }),
  edits: {
    'one backend less': spec((split) => ({ ...split, backends: split.backends.slice(1) })),
    'one backend more': spec((split) => ({ ...split, backends: [...split.backends, { service: 'elsewhere', weight: 1 }] })),
    'the other order': spec((split) => ({ ...split, backends: split.backends.toReversed() })),
    'another root': spec((split) => ({ ...split, service: 'elsewhere' })),
    'half and half': spec((split) => ({ ...split, backends: split.backends.map((backend) => ({ ...backend, weight: 50 })) })),
  },
});
