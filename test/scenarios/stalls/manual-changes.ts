import { raw } from '../../fakes/raw.ts';
import { startSelfHealer } from '../adversity/self-healer.ts';
import { serin } from '../serin.ts';
import { aCanary, aDeployment, aService, canaryRef, makeNamespace, push } from '../troubles/objects.ts';
import { until } from '../until.ts';
import { underWay } from './hooks.ts';
import { setField } from './set-field.ts';
import { APP, aGoodContainer, begun, deployment, initialized, released, SINCE, type Stall } from './stall.ts';

const isUnderWay = ({ phase }: { phase: string }) => phase === 'Progressing' || phase === 'WaitingPromotion';
/** Label of a Canary that the selector of the controller leaves out. */
export const LEFT_ALONE = 'example.org/left-alone';

/** Changes of a release by users and other tools. */
export const manualStalls: readonly Stall[] = [
  {
    namespace: 'target-missing',
    cause: /Deployment web of spec\.targetRef, which does not exist/,
    remedy: new RegExp(`${SINCE}.*Create it, or correct spec.targetRef`),
    why: { cause: 'TargetNotFound', proof: /^Deployment web: metadata$/, clear: { create: () => aDeployment('target-missing', APP) } },
    async run({ cluster }) {
      await makeNamespace(cluster, 'target-missing');
      await cluster.create(aCanary('target-missing', APP));
    },
  },
  {
    namespace: 'target-deleted',
    cause: /Deployment web of spec\.targetRef, which does not exist/,
    remedy: /the primary serves; .*create it again/,
    why: { cause: 'TargetNotFound', proof: /^Deployment web: metadata$/, clear: { create: () => aDeployment('target-deleted', APP) } },
    async run(fixture) {
      await initialized(fixture, 'target-deleted');
      await fixture.cluster.delete(deployment('target-deleted'));
    },
  },
  {
    namespace: 'suspended',
    cause: /Suspended by spec\.suspend at (Progressing|WaitingPromotion)/,
    remedy: /Set spec\.suspend to false/,
    why: { cause: 'Suspended', proof: /^Canary web: spec\.suspend$/, clear: 'command' },
    async run(fixture) {
      await released(fixture, 'suspended', underWay(fixture, 'suspended'));
      await fixture.reports.until('suspended', APP, 'a release', isUnderWay);
      await fixture.cluster.patch(canaryRef('suspended', APP), { spec: { suspend: true } });
    },
  },
  {
    namespace: 'suspended-from-birth',
    cause: /spec\.suspend is true/,
    remedy: /Set spec\.suspend to false/,
    why: { cause: 'Suspended', proof: /^Canary web: spec\.suspend$/, clear: 'command' },
    run: ({ cluster }) => begun(cluster, 'suspended-from-birth', { spec: { suspend: true } }),
  },
  {
    namespace: 'release-paused',
    cause: /Paused by \S+ since/,
    remedy: /without limit\. .*Resume it \(serin resume web\)/,
    why: { cause: 'Paused', proof: /^Canary web: status\.release\.paused\.by$/, clear: 'command' },
    async run(fixture) {
      await released(fixture, 'release-paused', underWay(fixture, 'release-paused'));
      await fixture.reports.until('release-paused', APP, 'a release', isUnderWay);
      await serin(fixture.kubeconfigFile, 'pause', APP, '-n', 'release-paused');
    },
  },
  {
    namespace: 'rolled-back',
    cause: /Failed \(\S+ requested it\)/,
    remedy: /push a corrected web/,
    why: {
      cause: 'Failed',
      proof: /^Canary web: status\.release\.ending\.code$/,
      clear: { set: { metadata: { labels: { app: APP } }, spec: { containers: [aGoodContainer] } } },
    },
    async run(fixture) {
      await released(fixture, 'rolled-back', underWay(fixture, 'rolled-back'));
      await fixture.reports.until('rolled-back', APP, 'a release', isUnderWay);
      await serin(fixture.kubeconfigFile, 'rollback', APP, '-n', 'rolled-back');
    },
  },
  {
    namespace: 'rivals',
    cause: /Canary rivals\/elder releases the same target and is older/,
    remedy: /remove this Canary, or let it release another target/,
    why: { cause: 'TargetTaken', proof: /^Canary web: spec\.targetRef$/, clear: 'remove' },
    async run({ cluster, reports }) {
      await makeNamespace(cluster, 'rivals');
      await cluster.create(aDeployment('rivals', APP));
      await cluster.create(aCanary('rivals', 'elder', {}, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP } }));
      await reports.until('rivals', 'elder', 'Initialized', ({ phase }) => phase === 'Initialized');
      await cluster.create(aCanary('rivals', APP));
    },
  },
  {
    namespace: 'paused',
    cause: /Deployment web: its rollout is paused/,
    remedy: /set its spec\.paused to false.*rolled back at \d{4}/,
    why: { cause: 'RolloutPaused', proof: /^Deployment web: spec\.paused$/, clear: 'command' },
    async run(fixture) {
      await initialized(fixture, 'paused');
      await fixture.cluster.patch(deployment('paused'), { spec: { paused: true } });
      await push(fixture.cluster, 'paused', APP, '2');
    },
  },
  {
    namespace: 'primary-broken-by-hand',
    cause: /the primary does not serve/,
    remedy: /waits for a change of web/,
    why: { cause: 'PrimaryUnavailable', proof: /^Pod \S+: status\.containerStatuses\[web\]\.ready$/, clear: { set: aGoodContainer } },
    async run(fixture) {
      await initialized(fixture, 'primary-broken-by-hand');
      const container = { name: 'web', image: 'web:broken', env: [{ name: 'NEVER_READY', value: '1' }] };
      const strategy = { type: 'Recreate', rollingUpdate: null };
      await fixture.cluster.patch(deployment('primary-broken-by-hand', `${APP}-primary`), {
        spec: { strategy, template: { spec: { containers: [container] } } },
      });
    },
  },
  {
    namespace: 'left-alone',
    unspoken: true,
    cause: /./,
    remedy: /./,
    why: {
      cause: 'Unseen',
      proof: /^Canary web: status\.release$/,
      clear: { others: ({ cluster }) => setField(cluster, canaryRef('left-alone', APP), `metadata.labels[${LEFT_ALONE}]`, undefined) },
    },
    async run({ cluster }) {
      await makeNamespace(cluster, 'left-alone');
      const canary = aCanary('left-alone', APP);
      await cluster.create({ ...canary, metadata: { ...canary.metadata, labels: { [LEFT_ALONE]: 'true' } } });
    },
  },
  {
    namespace: 'left-alone-later',
    unspoken: true,
    cause: /./,
    remedy: /./,
    why: {
      cause: 'Unseen',
      proof: /^Deployment web: metadata\.generation$/,
      clear: {
        others: ({ cluster }) => setField(cluster, canaryRef('left-alone-later', APP), `metadata.labels[${LEFT_ALONE}]`, undefined),
      },
    },
    async run(fixture) {
      await initialized(fixture, 'left-alone-later');
      await until(fixture.cluster, deployment('left-alone-later'), 'is at zero', (now) => raw(now)?.spec.replicas === 0);
      await fixture.cluster.patch(canaryRef('left-alone-later', APP), { metadata: { labels: { [LEFT_ALONE]: 'true' } } });
      await push(fixture.cluster, 'left-alone-later', APP, '2');
    },
  },
  {
    namespace: 'kept-by-a-finalizer',
    unspoken: true,
    cause: /./,
    remedy: /./,
    why: { cause: 'Deleting', proof: /^Canary web: metadata\.finalizers$/, clear: { set: [] } },
    async run({ cluster }) {
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
    remedy: /stop the other controller and then annotate the Canary/,
    why: { cause: 'ForeignController', proof: /^Canary web: status\.conditions\[Accepted\]\.message$/, clear: 'command' },
    async run(fixture) {
      await initialized(fixture, 'written-by-another');
      const status = { phase: 'Succeeded', lastAppliedSpec: 'theirs' };
      await fixture.cluster.patch(canaryRef('written-by-another', APP), { status }, { subresource: 'status' });
    },
  },
  {
    namespace: 'contested',
    cause: /Service\/contested\/web: spec\.selector\.app is changed back by gitops/,
    remedy: /take the field out of what the other writer applies, or set spec\.suspend: true to stop Serin/,
    why: { cause: 'Resting', proof: /^Canary web: status\.phase$/, clear: 'nothing', also: 'Contested' },
    async run(fixture) {
      await initialized(fixture, 'contested');
      const { spec, ...service } = raw(aService('contested', APP));
      const healer = await startSelfHealer(fixture.cluster, [{ ...service, spec: { selector: spec.selector } }], 3);
      fixture.atEnd(() => healer.stop());
    },
  },
];
