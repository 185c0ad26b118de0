import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { knativeApplication, knativeTemplate } from '../kinds/knative.ts';
import { until } from '../until.ts';
import type { ProviderFixture } from './provider-fixture.ts';

const apiVersion = 'serving.knative.dev/v1';
const ANNOTATION = 'flagger.app/primary-revision';
type Entry = { revisionName?: string; latestRevision?: boolean; percent?: number; tag?: string };

const traffic =
  (edit: (entries: Entry[]) => Entry[]) =>
  (object: KubeObject): KubeObject => ({
    ...object,
    spec: { ...raw(object).spec, traffic: edit(structuredClone(raw(object).spec.traffic ?? [])) },
  });

/** The target is its own route. */
export const knative: ProviderFixture = {
  provider: 'knative',
  tutorial: ['Knative', 'The target is a Knative Service, and its Revisions are the sides: without a copy, and without another route.'],
  application: knativeApplication,
  async sides(cluster, { name, namespace }) {
    const ref = { apiVersion, kind: 'Service', name, namespace };
    const becomes = (revision: string) =>
      until(cluster, ref, `serves ${revision}`, (now) => raw(now)?.status?.latestReadyRevisionName === revision);
    await cluster.create({ apiVersion, kind: 'Service', metadata: { name, namespace }, spec: { template: knativeTemplate('1') } });
    await becomes(`${name}-00001`);
    await cluster.patch(ref, { metadata: { annotations: { [ANNOTATION]: `${name}-00001` } }, spec: { template: knativeTemplate('2') } });
    await becomes(`${name}-00002`);
  },
  spec: ({ name }) => ({ targetRef: { apiVersion, kind: 'Service', name }, service: undefined }),
  host: ({ name, namespace }) => `${name}.${namespace}`,
  route: ({ name, namespace }) => ({ apiVersion, kind: 'Service', name, namespace }),
  edits: {
    'all to the newest': traffic(() => [{ latestRevision: true, percent: 100 }]),
    'half and half': traffic((entries) => entries.map((entry) => ({ ...entry, percent: 50 }))),
    'the other order': traffic((entries) => entries.toReversed()),
    'no traffic block': traffic(() => []),
    'the shares exchanged': traffic(([a, b]) => [
      { ...a, percent: b?.percent ?? 0 },
      { ...b, percent: a?.percent ?? 0 },
    ]),
    'a tag of their own': traffic((entries) => [...entries, { ...entries[0], tag: 'theirs', percent: 0 }]),
  },
  unfit: {
    'all annotations changed': 'one of them names the primary revision: that is an edit of the primary, which is not reverted (I3)',
    deleted: 'the route is the target: without it no release starts',
    'deleted, and made again from an old manifest': 'that is another target',
  },
  leaves: { 'a tag of their own': "tags without a share are the user's" },
};
