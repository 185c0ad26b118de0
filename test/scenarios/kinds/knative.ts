import { raw } from '../../fakes/raw.ts';
import { APP } from '../scenario.ts';
import { containerOf, type Env, placeOf, type StartApplication } from './application.ts';

/** Knative accepts a port without a name, or with the name of a protocol. */
export const knativeTemplate = (version: string, env?: Env) => ({
  spec: { containers: [{ ...containerOf(version, env), ports: [{ name: 'http1', containerPort: 9898 }] }] },
});

const ANNOTATION = 'flagger.app/primary-revision';

/** A Knative Service; its Revisions are named by the annotation, the status and the traffic block. */
export const knativeApplication: StartApplication = (cluster, namespace) => {
  const { ref, wait } = placeOf(cluster, namespace);
  const target = ref('serving.knative.dev/v1', 'Service');
  return {
    spec: { targetRef: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: APP }, provider: 'knative', service: undefined },
    metrics: [
      { name: 'request-success-rate', interval: '30s', thresholdRange: { min: 99 } },
      { name: 'request-duration', interval: '30s', thresholdRange: { max: 5000 } },
    ],
    async create() {
      await cluster.create({
        apiVersion: target.apiVersion,
        kind: target.kind,
        metadata: { name: APP, namespace },
        spec: { template: knativeTemplate('1') },
      });
      await wait(target, 'has a revision that is ready', (now) => raw(now)?.status?.latestReadyRevisionName === `${APP}-00001`);
    },
    async push(version, env) {
      await cluster.patch(target, { spec: { template: knativeTemplate(version, env) } });
    },
    // The simulated controller numbers Revisions in the order of pushes, like the versions of the scenarios.
    primaryRuns: (version) =>
      wait(target, `serves version ${version} only`, (now) => {
        const name = `${APP}-0000${version}`;
        const traffic: { revisionName?: string; percent?: number }[] = raw(now)?.status?.traffic ?? [];
        return now?.metadata.annotations?.[ANNOTATION] === name && traffic.length === 1 && traffic[0]?.revisionName === name;
      }),
    async primary() {
      const traffic: { percent?: number; revisionName?: string }[] = raw(await cluster.get(target))?.status?.traffic ?? [];
      return traffic.filter(({ percent }) => percent).map(({ percent, revisionName }) => ({ percent, revisionName }));
    },
    async losePrimary() {
      await cluster.patch(target, { metadata: { annotations: { [ANNOTATION]: null } } });
    },
    async misnamePrimary() {
      const before = (await cluster.get(target))?.metadata.annotations?.[ANNOTATION];
      await cluster.patch(target, { metadata: { annotations: { [ANNOTATION]: `${APP}-00099` } } });
      await wait(target, 'names its primary again', (now) => now?.metadata.annotations?.[ANNOTATION] === before);
    },
    isScaledDown: async () => undefined,
    async isAsBefore() {
      await wait(target, 'follows its latest revision', (now) => {
        const [entry, ...others] = raw(now)?.spec.traffic ?? [];
        return others.length === 0 && entry?.latestRevision === true && now?.metadata.annotations?.[ANNOTATION] === undefined;
      });
    },
  };
};
