import { every } from '../api/clock.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { Mesh } from '../embedded/mesh/index.ts';
import type { World } from '../embedded/world.ts';
import type { Entry } from './entry.ts';
import { isOfCandidate, type ModelledApps } from './modelled-apps.ts';

const TICK_MS = 1000;
/** Routed one by one in each second; where users ask more often, each stands for several. */
const MOST_SAMPLES = 20;

export interface UserCounts {
  sent: number;
  failed: number;
  /** Answered by the version under test. */
  exposed: number;
  failedByCandidate: number;
}

/** Users who ask at a rate, through the routes that the proxies hold at that moment. */
export function startUsers(
  world: World,
  { mesh, apps, entry, perSecond }: { mesh: Mesh; apps: ModelledApps; entry: Entry; perSecond: number },
): { counts(): UserCounts; ask(host: string): number; stop(): void } {
  const counts: UserCounts = { sent: 0, failed: 0, exposed: 0, failedByCandidate: 0 };
  let turn = 0;
  let owed = 0;
  const tick = async (): Promise<void> => {
    owed += (perSecond * TICK_MS) / 1000;
    let left = Math.floor(owed);
    owed -= left;
    const samples = Math.min(left, MOST_SAMPLES);
    for (let sample = samples; sample > 0; sample -= 1) {
      const count = Math.ceil(left / sample);
      left -= count;
      turn += 1;
      const headers = world.random() < entry.chosenShare ? entry.chosenHeaders : {};
      const { status, pod } = mesh.model(turn, { ...entry, headers: { ...entry.headers, ...headers }, count }, apps.answerOf);
      tally(counts, { isFailed: status >= 500, pod, count });
    }
  };
  const stop = every(world.clock, TICK_MS, tick);
  return {
    counts: () => ({ ...counts }),
    ask: (host) => mesh.model(turn, { host, path: '/', headers: {}, gateway: 'mesh', count: 1 }, apps.answerOf).status,
    stop,
  };
}

function tally(counts: UserCounts, { isFailed, pod, count }: { isFailed: boolean; pod: KubeObject | undefined; count: number }): void {
  const isExposed = pod !== undefined && isOfCandidate(pod);
  counts.sent += count;
  if (isExposed) counts.exposed += count;
  if (isFailed) counts.failed += count;
  if (isFailed && isExposed) counts.failedByCandidate += count;
}
