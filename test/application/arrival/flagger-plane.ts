import { join } from 'node:path';
import { ensureFlagger } from '../../../scripts/e2e-flagger.ts';
import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { type ObjectStore, watchObjects } from '../../../src/embedded/controllers/object-store.ts';
import { definition } from '../../../src/embedded/definition.ts';
import { startNodes } from '../../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../../src/embedded/nodes/pod-calls.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { startFlagger } from '../../differential/cluster/both-controllers.ts';
import { freePort } from '../../e2e/free-port.ts';
import { startRealCluster } from '../../e2e/real-cluster.ts';
import { raw } from '../../fakes/raw.ts';
import { applyCrds } from '../../scenarios/environment.ts';
import { eventually } from '../../scenarios/eventually.ts';

type Kind = Pick<KubeObject, 'apiVersion' | 'kind'>;

/** Kinds that Flagger writes, besides the kinds of users. */
const WRITTEN: readonly Kind[] = [
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'v1', kind: 'Event' },
  { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
  { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService' },
  { apiVersion: 'networking.istio.io/v1', kind: 'DestinationRule' },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
];
const SERVED = /^(v1|apps\/|autoscaling\/|policy\/|networking\.k8s\.io\/|autoscaling\.k8s\.io\/)/;

/** Flagger, with its defaults, on a real control plane: each application has a namespace of its own. */
export class FlaggerPlane {
  readonly cluster: KubeCluster;
  readonly #stores: ReadonlyMap<string, ObjectStore>;
  readonly #stops: readonly (() => unknown)[];

  private constructor(cluster: KubeCluster, stores: ReadonlyMap<string, ObjectStore>, stops: readonly (() => unknown)[]) {
    this.cluster = cluster;
    this.#stores = stores;
    this.#stops = stops;
  }

  /** `kinds` are those of the users' objects; Flagger's log is in `folder`. */
  static async start(kinds: readonly Kind[], folder: string): Promise<FlaggerPlane> {
    const program = await ensureFlagger();
    const real = await startRealCluster();
    const { cluster } = real;
    const stops: (() => unknown)[] = [() => real.stop()];
    try {
      await applyCrds(cluster);
      const watched = [...new Map([...WRITTEN, ...kinds].map((one) => [one.kind, one])).values()];
      for (const { apiVersion, kind } of watched) await serve(cluster, apiVersion, kind);
      const nodes = startNodes(cluster, {
        graceScale: 0.2,
        calls: podCallsBy(cluster),
      });
      stops.push(() => nodes.stop());
      await nodes.ready;
      const stores = new Map(watched.map((one) => [one.kind, watchObjects(cluster, one, () => undefined)]));
      stops.push(() => {
        for (const store of stores.values()) store.stop();
      });
      await Promise.all([...stores.values()].map(({ synced }) => synced));
      const port = await freePort();
      // None of their checks needs a metric.
      const flagger = startFlagger(program, join(folder, 'flagger.log'), {
        kubeconfig: real.adminKubeconfigFile,
        'metrics-server': 'http://127.0.0.1:9',
        port: String(port),
      });
      stops.push(() => flagger.stop());
      await eventually('Flagger serves', async () => {
        if (flagger.hasExited()) throw new Error(`Flagger ended:\n${flagger.logTail()}`);
        return fetch(`http://127.0.0.1:${port}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        );
      });
      return new FlaggerPlane(cluster, stores, stops);
    } catch (error) {
      await stopAll(stops);
      throw error;
    }
  }

  /** Last seen objects of a namespace, the namespace itself, and rules of the whole mesh that end in its name. */
  objects(namespace: string): KubeObject[] {
    const isMeant = ({ kind, metadata }: KubeObject) =>
      metadata.namespace === namespace ||
      (kind === 'Namespace' && metadata.name === namespace) ||
      (metadata.namespace !== undefined && metadata.name.endsWith(ofMesh('', namespace)));
    return [...this.#stores.values()].flatMap((store) => store.list()).filter(isMeant);
  }

  find(kind: string, namespace: string, name: string): KubeObject | undefined {
    return this.#stores.get(kind)?.get(`${namespace}/${name}`);
  }

  stop(): Promise<void> {
    return stopAll(this.#stops);
  }
}

/** The name of an object outside of the application's namespace: applications do not share it. */
export const ofMesh = (name: string, namespace: string): string => `${name}.of-${namespace}`;

async function stopAll(stops: readonly (() => unknown)[]): Promise<void> {
  for (const stop of stops.toReversed()) await stop();
}

/** Defines kinds that the fixtures lack, so that their objects can be stored. */
async function serve(cluster: KubeCluster, apiVersion: string, kind: string): Promise<void> {
  const [group = '', version = ''] = apiVersion.split('/');
  if (SERVED.test(apiVersion)) return;
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies');
  const made = definition(group, kind, plural, [version]);
  if ((await cluster.get(refOf(made))) !== undefined) return;
  await cluster.apply(made);
  await eventually(
    `${kind} is served`,
    async () => raw(await cluster.get(refOf(made)))?.status?.conditions ?? [],
    (conditions) => conditions.some(({ type, status }: Record<string, string>) => type === 'Established' && status === 'True'),
  );
}
