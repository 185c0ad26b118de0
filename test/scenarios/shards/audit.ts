import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { shardOf } from '../../../src/kube/shards/shard-of.ts';
import { NAMESPACE } from '../../bench/applications.ts';
import { raw } from '../../fakes/raw.ts';

const GROUP_LEASE = 'flagger-leader-election';

interface Change {
  version: bigint;
  name: string;
  /** Holder of a lease, or last writer of a Canary's status. */
  by: string;
  /** Phase of a Canary. */
  phase?: string;
}

const byVersion = (a: Change, b: Change) => (a.version < b.version ? -1 : 1);

/** Every change of the leases and of the statuses of the Canaries, in the order of the API server. */
export class ShardAudit {
  readonly #leases: Change[] = [];
  readonly #writes: Change[] = [];
  readonly #stop: () => void;

  constructor(cluster: KubeCluster, leaseNamespace: string) {
    const record = (changes: Change[], byOf: (object: KubeObject) => unknown) => {
      const learn = (object: KubeObject) => {
        const by = byOf(object);
        const { name, resourceVersion = '0' } = object.metadata;
        if (typeof by === 'string') changes.push({ version: BigInt(resourceVersion), name, by, phase: raw(object).status?.phase });
      };
      return {
        onList: (items: readonly KubeObject[]) => items.forEach(learn),
        onEvent: ({ object }: { object: KubeObject }) => learn(object),
      };
    };
    const handles = [
      cluster.watch(
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: leaseNamespace },
        record(this.#leases, (object) => raw(object).spec?.holderIdentity),
      ),
      cluster.watch(
        { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: NAMESPACE },
        record(this.#writes, (object) => raw(object).status?.release?.writer),
      ),
    ];
    this.#stop = () => {
      for (const handle of handles) handle.stop();
    };
  }

  stop(): void {
    this.#stop();
  }

  /** Processes that have written a status. */
  get writers(): string[] {
    return [...new Set(this.#writes.map(({ by }) => by))];
  }

  /** Ends of releases: for each Canary the number of changes to Succeeded, and to Failed. */
  get endings(): { succeeded: number[]; failed: number } {
    const writes = this.#writes.toSorted(byVersion);
    const canaries = Map.groupBy(writes, ({ name }) => name);
    const timesIn = (changes: readonly Change[], wanted: string) =>
      changes.filter(({ phase }, index) => phase === wanted && changes[index - 1]?.phase !== wanted).length;
    return {
      succeeded: [...canaries.values()].map((changes) => timesIn(changes, 'Succeeded')),
      failed: [...canaries.values()].reduce((sum, changes) => sum + timesIn(changes, 'Failed'), 0),
    };
  }

  /** Writes of a process that did not hold the lease of the Canary's shard at that moment. */
  get trespasses(): string[] {
    const leases = this.#leases.toSorted(byVersion);
    const holders = new Map<string, string>();
    const known = new Map<string, string>();
    const found: string[] = [];
    let next = 0;
    for (const { version, name, by } of this.#writes.toSorted(byVersion)) {
      for (let lease = leases[next]; lease !== undefined && lease.version < version; lease = leases[++next])
        holders.set(lease.name, lease.by);
      const before = known.get(name);
      known.set(name, by);
      const group = holders.get(GROUP_LEASE) ?? '';
      const shards = /^serin-shards-(\d+)$/.exec(group)?.[1];
      const owner = shards === undefined ? group : holders.get(`serin-${shardOf({ namespace: NAMESPACE, name }, Number(shards))}`);
      // Other writers can also change a Canary; they do not change its owner.
      if (owner !== by && before !== by) found.push(`version ${version}: ${by} writes ${name}, which ${owner || 'no one'} owns (${group})`);
    }
    return found;
  }
}
