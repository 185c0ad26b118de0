import { type Raw, raw } from '../../fakes/raw.ts';
import { APP } from '../scenario.ts';
import { containerOf, placeOf, type StartApplication } from './application.ts';

const SCALE_TO_ZERO = 'flagger.app/scale-to-zero';

/** One pod on each Linux node; the user's own node selector has to survive every release. */
export const daemonSetApplication: StartApplication = (cluster, namespace) => {
  const { ref, wait, isGone } = placeOf(cluster, namespace);
  const labels = { app: APP, tier: 'edge' };
  const own = { 'kubernetes.io/os': 'linux' };
  const target = ref('apps/v1', 'DaemonSet');
  const isRolledOut = ({ metadata, status = {} }: Raw): boolean =>
    status.observedGeneration === metadata.generation &&
    status.desiredNumberScheduled > 0 &&
    status.updatedNumberScheduled === status.desiredNumberScheduled &&
    status.numberAvailable === status.desiredNumberScheduled;
  return {
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: APP } },
    metrics: [{ name: 'request-success-rate', interval: '30s', thresholdRange: { min: 99 } }],
    async create() {
      const metadata = { name: APP, namespace };
      // Each pod must end before the next one is replaced, node by node: a third of the usual grace, or a release takes minutes.
      const spec = { terminationGracePeriodSeconds: 10, containers: [containerOf('1')], nodeSelector: own };
      const template = { metadata: { labels }, spec };
      await cluster.create({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: { selector: { matchLabels: labels }, template } });
      const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
      await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports } });
      await wait(target, 'runs', (now) => now && isRolledOut(now));
    },
    async push(version, env) {
      await cluster.patch(target, { spec: { template: { spec: { containers: [containerOf(version, env)] } } } });
    },
    primaryRuns: (version) =>
      wait(ref('apps/v1', 'DaemonSet', `${APP}-primary`), `runs version ${version}`, (now) => {
        const { nodeSelector, containers } = raw(now)?.spec.template.spec ?? {};
        const isOwn = JSON.stringify(nodeSelector) === JSON.stringify(own);
        return now && isOwn && containers[0].image === `${APP}:${version}` && isRolledOut(now);
      }),
    primary: async () => (await cluster.get(ref('apps/v1', 'DaemonSet', `${APP}-primary`)))?.spec,
    losePrimary: () => cluster.delete(ref('apps/v1', 'DaemonSet', `${APP}-primary`), { propagationPolicy: 'Background' }),
    isScaledDown: () =>
      wait(target, 'has no pods', (now) => {
        const selector = raw(now)?.spec.template.spec.nodeSelector ?? {};
        const isKept = Object.entries(own).every(([key, value]) => selector[key] === value);
        return isKept && selector[SCALE_TO_ZERO] !== undefined && raw(now)?.status?.currentNumberScheduled === 0;
      }),
    async isAsBefore() {
      await wait(target, 'has its pods and its node selector', (now) => {
        const selector = raw(now)?.spec.template.spec.nodeSelector;
        return now && JSON.stringify(selector) === JSON.stringify(own) && isRolledOut(now);
      });
      await isGone('apps/v1', 'DaemonSet', `${APP}-primary`);
      await isGone('v1', 'Service', `${APP}-primary`);
    },
  };
};
