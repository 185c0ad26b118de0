import type { Provider } from '../../../src/api/canary.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { ProviderFixture } from './provider-fixture.ts';

const spec =
  (edit: (spec: { backends: { service: string }[] }) => object) =>
  (object: KubeObject): KubeObject => ({ ...object, spec: edit(structuredClone(raw(object).spec)) });

const smi = (provider: Provider, version: string): ProviderFixture => ({
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

export const smiFixtures: readonly ProviderFixture[] = [
  {
    ...smi('linkerd', 'v1alpha1'),
    tutorial: ['Linkerd', 'By a TrafficSplit, which the extension `linkerd-smi` honours. Without that, take the Gateway API.'],
  },
  smi('smi:v1alpha1', 'v1alpha1'),
  smi('smi:v1alpha2', 'v1alpha2'),
  smi('smi:v1alpha3', 'v1alpha3'),
  {
    ...smi('smi:v1alpha4', 'v1alpha4'),
    tutorial: ['SMI', 'Serin makes a TrafficSplit. The older versions work the same way: `smi:v1alpha1` to `smi:v1alpha3`.'],
  },
];
