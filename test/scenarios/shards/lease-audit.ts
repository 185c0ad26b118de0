import { shardOf } from '../../../src/kube/shards/shard-of.ts';
import { NAMESPACE } from '../../bench/applications.ts';
import { bytesFrom } from '../../e2e/audit-log.ts';

/** Group of the users that the processes are: one user each. */
export const PROCESS_GROUP = 'serin-processes';

/** Every write of the processes, and each Lease as they left it. */
export const LEASE_AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: RequestResponse
    userGroups: [${PROCESS_GROUP}]
    verbs: [create, update, patch, delete]
    resources: [{ group: coordination.k8s.io, resources: [leases] }]
  - level: Metadata
    userGroups: [${PROCESS_GROUP}]
    verbs: [create, update, patch, delete, deletecollection]
  - level: None
`;

const GROUP_LEASE = 'flagger-leader-election';
const READ_EVERY_MS = 1_000;
/** Reviews store nothing. */
const REVIEWS = new Set(['authorization.k8s.io', 'authentication.k8s.io']);

interface AuditLine {
  verb: string;
  requestReceivedTimestamp: string;
  stageTimestamp: string;
  user: { username: string };
  objectRef?: { apiGroup?: string; resource?: string; subresource?: string; namespace?: string; name?: string };
  responseStatus?: { code?: number };
  responseObject?: { metadata?: { resourceVersion?: string }; spec?: { holderIdentity?: string; leaseDurationSeconds?: number } };
}

/** Between these two moments of the API server's clock it was carried out. Microseconds since 1970. */
interface Done {
  from: number;
  to: number;
  user: string;
}

interface LeaseChange extends Done {
  version: bigint;
  /** '' releases it. */
  holder: string;
  duration: number;
}

interface Write extends Done {
  what: string;
  /** 0: no answer. */
  code: number;
  object: string;
  /** `undefined` if the object's name belongs to no Canary. */
  canary: string | undefined;
}

/** Writes and leases in the API server's audit log. */
export class LeaseAudit {
  readonly #leases = new Map<string, LeaseChange[]>();
  readonly #writes: Write[] = [];

  /** One line of the log. */
  learn({ verb, user, objectRef = {}, responseStatus, responseObject, ...times }: AuditLine): void {
    const { apiGroup = '', resource = '', subresource, namespace = '', name = '' } = objectRef;
    const code = responseStatus?.code ?? 0;
    // A refused request wrote nothing. A request without an answer, or after a fault, is counted as a write.
    if (REVIEWS.has(apiGroup) || (code >= 300 && code < 499)) return;
    const done = { from: microseconds(times.requestReceivedTimestamp), to: microseconds(times.stageTimestamp), user: user.username };
    if (resource === 'leases') {
      if (code < 200 || code >= 300) return;
      const { holderIdentity: holder = '', leaseDurationSeconds = 0 } = responseObject?.spec ?? {};
      const version = BigInt(responseObject?.metadata?.resourceVersion ?? 0);
      const change = { ...done, version, holder, duration: leaseDurationSeconds * 1e6 };
      const known = this.#leases.get(name);
      if (known === undefined) this.#leases.set(name, [change]);
      else known.push(change);
      return;
    }
    const canary = namespace === NAMESPACE ? /^app-\d{4,}(?=$|[-.])/.exec(name)?.[0] : undefined;
    const what = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
    this.#writes.push({ ...done, what, code, object: `${what} ${namespace}/${name}`, canary });
  }

  /** Number of checked writes, by verb and resource. */
  get checked(): Record<string, number> {
    return Object.fromEntries([...Map.groupBy(this.#writes, ({ what }) => what)].map(([what, { length }]) => [what, length]).sort());
  }

  /** Processes that wrote. */
  get processes(): number {
    return new Set(this.#writes.map(({ user }) => user)).size;
  }

  /**
   * Writes that began when their process did not hold the leases of the Canary's shard, or ended after another one had begun to take them. An object whose name leads to no
   * Canary belongs to no shard, and so no process may write it.
   */
  get trespasses(): string[] {
    const leases = new Map([...this.#leases].map(([name, changes]) => [name, changes.toSorted(byVersion)]));
    const group = leases.get(GROUP_LEASE) ?? [];
    return this.#writes.flatMap((write) => {
      const at = new Date(write.from / 1_000).toISOString();
      const answered = `answered ${write.code} after ${((write.to - write.from) / 1e6).toFixed(3)} s`;
      const says = (why: string) => [`${at}: ${write.user}: ${write.object}, ${answered}: ${why}`];
      if (write.canary === undefined) return says('the object belongs to no Canary');
      const member = holding(group, write);
      if (typeof member === 'string') return says(`${GROUP_LEASE}: ${member}`);
      const shards = Number(/^serin-shards-(\d+)$/.exec(member.holder)?.[1] ?? 1);
      if (shards === 1) return [];
      const lease = `serin-${shardOf({ namespace: NAMESPACE, name: write.canary }, shards)}`;
      const owner = holding(leases.get(lease) ?? [], write);
      return typeof owner === 'string' ? says(`${lease}: ${owner}`) : [];
    });
  }
}

/** Reads the log as it grows, since a long one fits into no string. */
export function readLeaseAudit(file: string): LeaseAudit & { stop(): void } {
  const audit = new LeaseAudit();
  let position = 0;
  const read = (): void => {
    const fresh = bytesFrom(file, position);
    const end = fresh.lastIndexOf(10) + 1;
    position += end;
    for (const line of fresh.toString('utf8', 0, end).split('\n')) if (line !== '') audit.learn(JSON.parse(line));
  };
  const timer = setInterval(read, READ_EVERY_MS);
  return Object.assign(audit, {
    /** Reads the rest. */
    stop() {
      clearInterval(timer);
      read();
    },
  });
}

/** Date keeps milliseconds. */
const microseconds = (time: string): number => Date.parse(time) * 1_000 + Number(/\.\d{3}(\d{3})/.exec(time)?.[1] ?? 0);

const byVersion = (a: LeaseChange, b: LeaseChange): number => (a.version < b.version ? -1 : 1);

/** The renewal by which the write was allowed, or why it was not. */
function holding(changes: readonly LeaseChange[], write: Write): LeaseChange | string {
  const index = changes.findLastIndex(({ user, holder, from }) => user === write.user && holder !== '' && from <= write.from);
  const last = changes[index];
  if (last === undefined) return 'it never held it before';
  if (write.from > last.to + last.duration) return `its time ended ${((write.from - last.to - last.duration) / 1e6).toFixed(3)} s before`;
  const next = changes.slice(index + 1).find((change) => change.from > write.to || change.holder !== last.holder);
  if (next === undefined || next.holder === last.holder) return last;
  // After its own release of the lease it must not write. Another process takes the lease at the earliest when its request arrives.
  const end = next.user === last.user ? next.to : next.from;
  return write.to <= end
    ? last
    : `${next.user} wrote "${next.holder}" into it ${((write.to - end) / 1e6).toFixed(3)} s before the write was done`;
}
