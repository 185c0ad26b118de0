import { raw } from '../../fakes/raw.ts';
import { until } from '../until.ts';
import { deployment, initialized, type Stall } from './stall.ts';

/** The Canary CRD in the cluster is an older version. It affects every Canary, so it is played without other stalls. */
export const OUTDATED: Stall = {
  namespace: 'crd-outdated',
  cause: /status\.release was not stored/,
  remedy: /apply the Canary CRD of this version \(serin crds apply\)/,
  why: { cause: 'CRDOutdated', proof: /^Canary web: status\.conditions\[Accepted\]\.message$/, clear: 'command' },
  async run(fixture) {
    await initialized(fixture, 'crd-outdated');
    await until(fixture.cluster, deployment('crd-outdated'), 'is at zero', (now) => raw(now)?.spec.replicas === 0);
  },
};
