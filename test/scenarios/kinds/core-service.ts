import { raw } from '../../fakes/raw.ts';
import { APP } from '../scenario.ts';
import { containerOf, type Env, placeOf, type StartApplication } from './application.ts';

/** A Service target's pods have any name, so that the Service that a request was sent to identifies it. */
const SELECTED = 'reporter="destination",destination_service_name="{{ service }}-canary",destination_service_namespace="{{ namespace }}"';

/** Deployments that Serin knows nothing of, one a version; the Service says which of them serves. */
export const serviceApplication: StartApplication = (cluster, namespace) => {
  const { ref, wait, isGone } = placeOf(cluster, namespace);
  const target = ref('v1', 'Service');
  const selectorOf = (version: string) => ({ app: APP, version });
  const runs = async (version: string, env?: Env): Promise<void> => {
    const name = `${APP}-v${version}`;
    const labels = selectorOf(version);
    const template = { metadata: { labels }, spec: { containers: [containerOf(version, env)] } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await cluster.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec });
    await wait(ref('apps/v1', 'Deployment', name), 'is available', (now) => raw(now)?.status?.availableReplicas === 1);
  };
  const selects = (name: string, version: string) =>
    wait(ref('v1', 'Service', name), `selects version ${version}`, (now) => {
      const { selector = {} } = raw(now)?.spec ?? {};
      return selector.version === version && selector.app === APP && Object.keys(selector).length === 2;
    });
  return {
    spec: { targetRef: { apiVersion: 'v1', kind: 'Service', name: APP } },
    metrics: [
      {
        name: 'success of the canary Service',
        interval: '30s',
        thresholdRange: { min: 99 },
        query: `sum(rate(istio_requests_total{${SELECTED},response_code!~"5.."}[{{ interval }}]))
          / sum(rate(istio_requests_total{${SELECTED}}[{{ interval }}])) * 100`,
      },
    ],
    async create() {
      await runs('1');
      const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
      const metadata = { name: APP, namespace };
      await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'NodePort', selector: selectorOf('1'), ports } });
    },
    async push(version, env) {
      await runs(version, env);
      await cluster.patch(target, { spec: { selector: selectorOf(version) } });
    },
    primaryRuns: (version) => selects(`${APP}-primary`, version),
    primary: async () => (await cluster.get(ref('v1', 'Service', `${APP}-primary`)))?.spec,
    losePrimary: () => cluster.delete(ref('v1', 'Service', `${APP}-primary`)),
    isScaledDown: async () => undefined,
    async isAsBefore() {
      await isGone('v1', 'Service', `${APP}-primary`);
      await isGone('v1', 'Service', `${APP}-canary`);
    },
  };
};
