import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { crds } from '../../src/api/crds.ts';
import { refOf } from '../../src/api/kube-object.ts';
import { startNodes } from '../../src/embedded/nodes/index.ts';
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
      return { canaries, minutes, requests: requestsIn(real.auditLog, from, new Date()) };
    } finally {
      await controller.stop();
    }
  } finally {
    watch.stop();
    await nodes.stop();
    await real.stop();
  }
}

interface AuditEvent {
  stage: string;
  verb: string;
  userAgent?: string;
  requestReceivedTimestamp: string;
  objectRef?: { resource?: string; subresource?: string };
  requestURI: string;
}

/** A watch is two events, its start and its end: each request is counted once, by when it was received. */
function requestsIn(auditLog: string, from: Date, to: Date): Record<string, number> {
  const counts: Record<string, number> = {};
  const seen = new Set<string>();
  for (const line of readFileSync(auditLog, 'utf8').split('\n').filter(Boolean)) {
    const event: AuditEvent & { auditID: string } = JSON.parse(line);
    const at = new Date(event.requestReceivedTimestamp);
    if (event.userAgent !== 'serin-controller' || at < from || at > to || seen.has(event.auditID)) continue;
    seen.add(event.auditID);
    const { resource, subresource } = event.objectRef ?? {};
    const what = `${event.verb} ${resource ?? event.requestURI}${subresource === undefined ? '' : `/${subresource}`}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}
