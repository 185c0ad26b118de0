import type { Raw } from '../../fakes/raw.ts';
import { envoyQueries } from './queries.ts';
import type { RouterCase, RouterCases } from './router-case.ts';

const knative: RouterCase = {
  crds: 'knative',
  afterDeletion: [{ stays: [], because: 'nothing is generated: the traffic block of your Service is restored' }],
  queries: envoyQueries('envoy_cluster_name=~"shop/way"'),
  lacks: { mirroring: 'no field', headerMatch: 'no field', sessionAffinity: 'no cookies' },
  inPlace: [
    {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      metadata: { name: 'shop', namespace: 'prod', annotations: { 'flagger.app/primary-revision': 'shop-00001' } },
      spec: { template: { spec: { containers: [{ image: 'shop:1' }] } }, traffic: [{ latestRevision: true, percent: 100 }] },
      status: { latestCreatedRevisionName: 'shop-00002' },
    },
  ],
  foreignSpec: { traffic: ['a', 'b', 'c', 'd'].map((revisionName) => ({ revisionName, percent: 25 })) },
  sums: ({ spec }: Raw) => [spec.traffic.reduce((sum: number, { percent }: { percent: number }) => sum + percent, 0)],
  ownNames: ['shop'],
};

export const cases: RouterCases = { knative };
