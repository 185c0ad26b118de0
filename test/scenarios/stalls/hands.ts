import { raw } from '../../fakes/raw.ts';
import { startSelfHealer } from '../adversity/self-healer.ts';
import { serin } from '../serin.ts';
import { aCanary, aDeployment, aService, canaryRef, makeNamespace, push } from '../troubles/objects.ts';
import { until } from '../until.ts';
import { underWay } from './hooks.ts';
import { setField } from './set-field.ts';
import { APP, aGoodContainer, begun, deployment, released, rested, SINCE, type Stall } from './stall.ts';

const isUnderWay = ({ phase }: { phase: string }) => phase === 'Progressing' || phase === 'WaitingPromotion';
/** Whose controller looks elsewhere. */
export const LEFT_ALONE = 'example.org/left-alone';

/** What people and other tools do to a release. */
export const handStalls: readonly Stall[] = [
  {
    namespace: 'target-missing',
    cause: /Deployment web of spec\.targetRef, which does not exist/,
    wayOut: new RegExp(`${SINCE}.*create it or correct spec.targetRef`),
    why: { cause: 'TargetNotFound', proof: /^Deployment web: metadata$/, clear: { create: () => aDeployment('target-missing', APP) } },
    async play({ cluster }) {
      await makeNamespace(cluster, 'target-missing');
      await cluster.create(aCanary('target-missing', APP));
    },
  },
  {
    namespace: 'target-deleted',
    cause: /Deployment web of spec\.targetRef, which does not exist/,
    wayOut: /the primary serves; .*create it again/,
    why: { cause: 'TargetNotFound', proof: /^Deployment web: metadata$/, clear: { create: () => aDeployment('target-deleted', APP) } },
    async play(theatre) {
      await rested(theatre, 'target-deleted');
      await theatre.cluster.delete(deployment('target-deleted'));
    },
  },
  {
    namespace: 'suspended',
    cause: /Suspended by spec\.suspend at (Progressing|WaitingPromotion)/,
    wayOut: /until someone sets it to false/,
    why: { cause: 'Suspended', proof: /^Canary web: spec\.suspend$/, clear: 'command' },
    async play(theatre) {
      await released(theatre, 'suspended', underWay(theatre, 'suspended'));
      await theatre.teller.until('suspended', APP, 'a release', isUnderWay);
      await theatre.cluster.patch(canaryRef('suspended', APP), { spec: { suspend: true } });
    },
  },
  {
    namespace: 'suspended-from-birth',
    cause: /spec\.suspend is true/,
    wayOut: /until someone sets it to false/,
    why: { cause: 'Suspended', proof: /^Canary web: spec\.suspend$/, clear: 'command' },
    play: ({ cluster }) => begun(cluster, 'suspended-from-birth', { spec: { suspend: true } }),
  },
  {
    namespace: 'release-paused',
    cause: /Paused by \S+ since/,
    wayOut: /without limit: .*until someone resumes it \(serin resume web\)/,
    why: { cause: 'Paused', proof: /^Canary web: status\.release\.paused\.by$/, clear: 'command' },
    async play(theatre) {
      await released(theatre, 'release-paused', underWay(theatre, 'release-paused'));
      await theatre.teller.until('release-paused', APP, 'a release', isUnderWay);
      await serin(theatre.kubeconfigFile, 'pause', APP, '-n', 'release-paused');
    },
  },
  {
    namespace: 'rolled-back',
    cause: /Failed \(\S+ asked for it\)/,
    wayOut: /push a corrected web/,
    why: {
      cause: 'Failed',
      proof: /^Canary web: status\.release\.reason$/,
      clear: { set: { metadata: { labels: { app: APP } }, spec: { containers: [aGoodContainer] } } },
    },
    async play(theatre) {
      await released(theatre, 'rolled-back', underWay(theatre, 'rolled-back'));
      await theatre.teller.until('rolled-back', APP, 'a release', isUnderWay);
      await serin(theatre.kubeconfigFile, 'rollback', APP, '-n', 'rolled-back');
    },
  },
  {
    namespace: 'rivals',
    cause: /Canary rivals\/elder releases the same target and is older/,
    wayOut: /remove this Canary, or let it release another target/,
    why: { cause: 'TargetTaken', proof: /^Canary web: spec\.targetRef$/, clear: 'remove' },
    async play({ cluster, teller }) {
      await makeNamespace(cluster, 'rivals');
      await cluster.create(aDeployment('rivals', APP));
      await cluster.create(aCanary('rivals', 'elder', {}, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP } }));
      await teller.until('rivals', 'elder', 'Initialized', ({ phase }) => phase === 'Initialized');
      await cluster.create(aCanary('rivals', APP));
    },
  },
  {
    namespace: 'paused',
    cause: /Deployment web: its rollout is paused/,
    wayOut: /until \d{4}.*set its spec\.paused to false/,
    why: { cause: 'RolloutPaused', proof: /^Deployment web: spec\.paused$/, clear: 'command' },
    async play(theatre) {
      await rested(theatre, 'paused');
      await theatre.cluster.patch(deployment('paused'), { spec: { paused: true } });
      await push(theatre.cluster, 'paused', APP, '2');
    },
  },
  {
    namespace: 'primary-broken-by-hand',
    cause: /the primary does not serve/,
    wayOut: /waits for a change of web/,
    why: { cause: 'PrimaryUnavailable', proof: /^Pod \S+: status\.containerStatuses\[web\]\.ready$/, clear: { set: aGoodContainer } },
    async play(theatre) {
      await rested(theatre, 'primary-broken-by-hand');
      const container = { name: 'web', image: 'web:broken', env: [{ name: 'NEVER_READY', value: '1' }] };
      const strategy = { type: 'Recreate', rollingUpdate: null };
      await theatre.cluster.patch(deployment('primary-broken-by-hand', `${APP}-primary`), {
        spec: { strategy, template: { spec: { containers: [container] } } },
      });
    },
  },
  {
    namespace: 'left-alone',
    unspoken: true,
    cause: /./,
    wayOut: /./,
    why: {
      cause: 'Unseen',
      proof: /^Canary web: status\.release$/,
      clear: { others: ({ cluster }) => setField(cluster, canaryRef('left-alone', APP), `metadata.labels[${LEFT_ALONE}]`, undefined) },
    },
    async play({ cluster }) {
      await makeNamespace(cluster, 'left-alone');
      const canary = aCanary('left-alone', APP);
      await cluster.create({ ...canary, metadata: { ...canary.metadata, labels: { [LEFT_ALONE]: 'true' } } });
    },
  },
  {
    namespace: 'left-alone-later',
    unspoken: true,
    cause: /./,
    wayOut: /./,
    why: {
      cause: 'Unseen',
      proof: /^Deployment web: metadata\.generation$/,
      clear: {
        others: ({ cluster }) => setField(cluster, canaryRef('left-alone-later', APP), `metadata.labels[${LEFT_ALONE}]`, undefined),
      },
    },
    async play(theatre) {
      await rested(theatre, 'left-alone-later');
      await until(theatre.cluster, deployment('left-alone-later'), 'is at zero', (now) => raw(now)?.spec.replicas === 0);
      await theatre.cluster.patch(canaryRef('left-alone-later', APP), { metadata: { labels: { [LEFT_ALONE]: 'true' } } });
      await push(theatre.cluster, 'left-alone-later', APP, '2');
    },
  },
  {
    namespace: 'kept-by-a-finalizer',
    unspoken: true,
    cause: /./,
    wayOut: /./,
    why: { cause: 'Deleting', proof: /^Canary web: metadata\.finalizers$/, clear: { set: [] } },
    async play({ cluster }) {
      await begun(cluster, 'kept-by-a-finalizer');
      const ref = canaryRef('kept-by-a-finalizer', APP);
      await cluster.patch(ref, { metadata: { finalizers: ['example.org/keep'] } });
      await cluster.delete(ref);
      await until(cluster, ref, 'is being deleted', (now) => now?.metadata.deletionTimestamp !== undefined);
    },
  },
  {
    namespace: 'written-by-another',
    cause: /another controller writes this status/,
    wayOut: /stop the other one and then annotate the Canary/,
    why: { cause: 'ForeignController', proof: /^Canary web: status\.conditions\[Accepted\]\.message$/, clear: 'command' },
    async play(theatre) {
      await rested(theatre, 'written-by-another');
      const status = { phase: 'Succeeded', lastAppliedSpec: 'theirs' };
      await theatre.cluster.patch(canaryRef('written-by-another', APP), { status }, { subresource: 'status' });
    },
  },
  {
    namespace: 'contested',
    cause: /Service\/contested\/web: spec\.selector\.app is changed back by gitops/,
    wayOut: /take the field out of it, or set spec\.suspend: true to stop Serin/,
    why: { cause: 'Resting', proof: /^Canary web: status\.phase$/, clear: 'nothing', also: 'Contested' },
    async play(theatre) {
      await rested(theatre, 'contested');
      const { spec, ...service } = raw(aService('contested', APP));
      const healer = await startSelfHealer(theatre.cluster, [{ ...service, spec: { selector: spec.selector } }], 3);
      theatre.atEnd(() => healer.stop());
    },
  },
];
