import { describeEach, type Scene, type Stall } from '../../../test/fakes/standing-still.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { knativeApiVersion } from '../../api/knative.ts';

const metadata = { name: 'podinfo', namespace: 'test' };
const knativeService = (status: string, reason: string) => ({
  apiVersion: knativeApiVersion,
  kind: 'Service',
  metadata,
  spec: {},
  status: { latestCreatedRevisionName: 'podinfo-00002', conditions: [{ type: 'Ready', status, reason, message: 'podinfo-00002 …' }] },
});

/** A canary that does not become ready, of a kind without pods of its own. */
function unready(apiVersion: string, target: object): Scene {
  const world = initialized(aCanary({ stepWeight: 20 }, { targetRef: { apiVersion, kind: 'Service', name: 'podinfo' } }));
  world.behaviour.brokenCanary.add('s1:b');
  world.push('s1:b');
  return { world, target };
}

function comes({ world }: Scene): void {
  world.behaviour.brokenCanary.clear();
  world.tick(0);
  world.tick();
}

const stalls: readonly Stall[] = [
  {
    title: 'a Revision that is being started',
    play: () => unready(knativeApiVersion, knativeService('Unknown', 'RevisionMissing')),
    cause: 'PodsStarting',
    proof: ['Service', 'status.latestCreatedRevisionName'],
    action: /wait for its Revision/,
    mend: comes,
  },
  {
    title: 'a Revision that has failed',
    play: () => unready(knativeApiVersion, knativeService('False', 'RevisionFailed')),
    cause: 'RolloutStalled',
    proof: ['Service', 'status.latestCreatedRevisionName'],
    action: /push a version that becomes ready/,
    way: 'set Service podinfo spec.template',
    mend: comes,
  },
  {
    title: 'a Service whose pods have another owner, and none of them is ready',
    play: () => unready('v1', { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: 'podinfo', version: '2' } } }),
    cause: 'PodsStarting',
    proof: ['Service', 'spec.selector'],
    action: /bring up pods that this selector finds/,
    way: 'set Service podinfo spec',
    mend: comes,
  },
];

describeEach('services as targets', stalls);
