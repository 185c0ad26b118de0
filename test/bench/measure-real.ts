import { setTimeout as sleep } from 'node:timers/promises';
import { startKnative } from '../../src/embedded/knative/index.ts';
import { startNodes } from '../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../src/embedded/nodes/pod-calls.ts';
import { type AuditLog, countsIn, readAuditLog } from '../e2e/audit-log.ts';
import { type RealCluster, startRealCluster } from '../e2e/real-cluster.ts';
import type { Raw } from '../fakes/raw.ts';
import { applyCrds } from '../scenarios/environment.ts';
import { bringToIdle, MIXED_KINDS } from '../scenarios/kinds/mixed.ts';
import { until } from '../scenarios/until.ts';
import { createApplications, forEachIndex } from './applications.ts';
import { watchCanaries } from './canary-watch.ts';
import { startMeasuredController } from './controller-process.ts';

const START_BOUND_MS = 900_000;
const SETTLE_MS = 30_000;
/** Long enough for every look, retry and lease of a start over hundreds of Canaries. */
const RESTART_MS = 120_000;
const MIXED_AT_ONCE = 2 * MIXED_KINDS;
const LEADER = ['--enable-leader-election'];

/** `deployments`: with a Service each, as they start; `mixed`: every kind of target, with configs and scalers. */
export type Kinds = 'deployments' | 'mixed';

export interface RealRest {
  canaries: number;
  kinds: Kinds;
  minutes: number;
  /** Requests by verb and resource, as in the audit log. */
  requests: Record<string, number>;
  /** Requests of a controller that is started over the Canaries: from its start until long after its last request, without the lease. */
  restart: Record<string, number>;
}

interface Options {
  canaries: number;
  kinds: Kinds;
  minutes: number;
  say(line: string): void;
}

/** Resting Canaries on etcd and kube-apiserver, counted in the audit log: what the server saw, not what we say. */
export async function measureRealRest({ canaries, kinds, minutes, say }: Options): Promise<RealRest> {
  const real = await startRealCluster({ say });
  const { cluster } = real;
  await applyCrds(cluster);
  const nodes = startNodes(cluster, {
    graceScale: 0.02,
    calls: podCallsBy(cluster),
  });
  await nodes.ready;
  const knative = startKnative(cluster);
  const audit = readAuditLog(real.auditLog);
  try {
    const controller = startMeasuredController(real.kubeconfigFile, LEADER);
    let requests: Record<string, number>;
    try {
      await (kinds === 'mixed' ? idleMixed(real, canaries, say) : idleDeployments(real, canaries));
      await sleep(SETTLE_MS);
      say(`${canaries} Canaries are idle; counting for ${minutes} min`);
      requests = await countedFor(audit, minutes * 60_000);
    } finally {
      await controller.stop();
    }
    say(`the controller is started again; counting for ${RESTART_MS / 60_000} min`);
    const again = startMeasuredController(real.kubeconfigFile, LEADER);
    try {
      return { canaries, kinds, minutes, requests, restart: await countedFor(audit, RESTART_MS) };
    } finally {
      await again.stop();
    }
  } finally {
    knative.stop();
    await nodes.stop();
    await real.stop();
  }
}

/** Requests of the controller that come in this time. */
async function countedFor(audit: AuditLog, ms: number): Promise<Record<string, number>> {
  const from = new Date();
  await sleep(ms);
  const to = new Date();
  return countsIn(audit.events(), ({ userAgent, requestReceivedTimestamp }) => {
    const at = new Date(requestReceivedTimestamp);
    return userAgent === 'serin-controller' && at >= from && at <= to;
  });
}

async function idleDeployments({ cluster }: RealCluster, canaries: number): Promise<void> {
  const watch = watchCanaries(cluster);
  try {
    await createApplications(cluster, canaries, 'kubernetes');
    await watch.until(canaries, 'are initialized', ({ status }: Raw) => status?.phase === 'Initialized', START_BOUND_MS);
  } finally {
    watch.stop();
  }
}

async function idleMixed({ cluster }: RealCluster, canaries: number, say: (line: string) => void): Promise<void> {
  let resting = 0;
  await forEachIndex(
    canaries,
    async (index) => {
      await bringToIdle(cluster, index, (canary, isSo) => until(cluster, canary, 'is idle', isSo, { boundMs: START_BOUND_MS }));
      resting += 1;
      if (resting % MIXED_AT_ONCE === 0) say(`${resting} of ${canaries} are idle`);
    },
    MIXED_AT_ONCE,
  );
}
