import { setTimeout as sleep } from 'node:timers/promises';
import { crds } from '../../src/api/crds.ts';
import { refOf } from '../../src/api/kube-object.ts';
import { startNodes } from '../../src/embedded/nodes/index.ts';
import { countsIn, readAuditLog } from '../e2e/audit-log.ts';
import { startRealCluster } from '../e2e/real-cluster.ts';
import { createApplications } from './applications.ts';
import { watchCanaries } from './canary-watch.ts';
import { startMeasuredController } from './controller-process.ts';

const START_BOUND_MS = 900_000;
const SETTLE_MS = 30_000;

export interface RealRest {
  canaries: number;
  minutes: number;
  /** By verb and resource, as the audit log has them. */
  requests: Record<string, number>;
}

/** Resting Canaries on etcd and kube-apiserver, counted in the audit log: what the server saw, not what we say. */
export async function measureRealRest(options: { canaries: number; minutes: number; say(line: string): void }): Promise<RealRest> {
  const { canaries, minutes, say } = options;
  const real = await startRealCluster({ say });
  const { cluster } = real;
  for (const crd of crds()) await cluster.apply(crd);
  const nodes = startNodes(cluster, {
    graceScale: 0.02,
    calls: { bind: (pod, node) => cluster.bind(refOf(pod), node), forceDelete: (pod) => cluster.forceDelete(refOf(pod)) },
  });
  await nodes.ready;
  const watch = watchCanaries(cluster);
  try {
    await createApplications(cluster, canaries, 'kubernetes');
    const controller = startMeasuredController(real.kubeconfigFile, ['--enable-leader-election']);
    try {
      await watch.until(canaries, 'are initialized', ({ status }) => status?.phase === 'Initialized', START_BOUND_MS);
      await sleep(SETTLE_MS);
      say(`${canaries} Canaries are at rest; counting for ${minutes} min`);
      const from = new Date();
      await sleep(minutes * 60_000);
      const to = new Date();
      const requests = countsIn(readAuditLog(real.auditLog).events(), ({ userAgent, requestReceivedTimestamp }) => {
        const at = new Date(requestReceivedTimestamp);
        return userAgent === 'serin-controller' && at >= from && at <= to;
      });
      return { canaries, minutes, requests };
    } finally {
      await controller.stop();
    }
  } finally {
    watch.stop();
    await nodes.stop();
    await real.stop();
  }
}
