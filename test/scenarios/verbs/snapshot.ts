import { raw } from '../../fakes/raw.ts';
import type { Lab } from '../adversity/lab.ts';
import { canaryRef } from '../troubles/objects.ts';

/** Recorded fields of the release, without fields that the next write updates in passing. */
const RELEASE = ['run', 'step', 'revision', 'promotedRevision', 'startedMs', 'routes', 'failedChecks', 'iterations', 'paused', 'undo'];

/** All fields of an application that a refused verb must not change. */
export async function snapshotOf({ cluster, namespace }: Lab, name: string): Promise<unknown> {
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace };
  const route = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name, namespace };
  const [canary, ...others] = await Promise.all(
    [canaryRef(namespace, name), { ...deployment, name }, { ...deployment, name: `${name}-primary` }, route].map((ref) => cluster.get(ref)),
  );
  const { phase, canaryWeight, release } = raw(canary)?.status ?? {};
  return { phase, canaryWeight, release: RELEASE.map((field) => [field, release?.[field]]), specs: others.map((one) => one?.spec) };
}
