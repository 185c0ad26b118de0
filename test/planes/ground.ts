import type { Mesh } from '../../src/embedded/mesh/index.ts';
import { type RealEnvironment, type RealEnvironmentOptions, startRealEnvironment } from '../scenarios/environment.ts';
import type { ProxyUnderTest } from '../scenarios/real-proxy.ts';
import { runAtPodAddress } from './pod-network.ts';

/** Addresses in the range of the pods that no pod has: the range is local in the tier's network namespace. */
export const ADDRESSES = { apiServer: '10.244.255.254', client: '10.244.255.1', gateway: '10.244.255.2', webhook: '10.244.255.3' };

export interface Plane extends ProxyUnderTest {
  /** Copies sent, by `namespace/workload`. */
  mirrored(): Record<string, number>;
  /** URLs for users in other places. */
  otherUrls?: readonly string[];
}

export type StartPlane = (real: Pick<RealEnvironment, 'cluster' | 'adminKubeconfigFile'>) => Promise<Plane>;

/** A real control plane whose pods are at their own addresses, and a real data plane, which the users of every scenario send their requests through. */
export const startGround = (
  startPlane: StartPlane,
  {
    serverFlags = [],
    ...options
  }: Pick<RealEnvironmentOptions, 'judgesHttpRoutes' | 'standsForKnative' | 'serverFlags' | 'moreControllers' | 'runApp'> = {},
): Promise<RealEnvironment> =>
  startRealEnvironment({
    runApp: runAtPodAddress,
    ...options,
    serverFlags: [`--advertise-address=${ADDRESSES.apiServer}`, ...serverFlags],
    startMesh: async (real) => meshOf(await startPlane(real)),
  });

const onlyOfTheModel = (): never => {
  throw new Error('only the embedded mesh can be asked that');
};

const meshOf = ({ url, otherUrls = [], metricsUrl, knows, mirrored, stop }: Plane): Mesh => ({
  ...{ metricsUrl, knows, stop },
  url: () => url,
  urls: [url, ...otherUrls],
  metricsText: onlyOfTheModel,
  metricsSamples: onlyOfTheModel,
  // Scenarios here need no other count of the embedded mesh.
  counts: () => ({ mirrored: mirrored() }) as ReturnType<Mesh['counts']>,
  model: onlyOfTheModel,
  // Updates on their way to a real proxy cannot be counted.
  pending: () => 0,
});
