import type { Mesh } from '../embedded/mesh/index.ts';
import type { World } from '../embedded/world.ts';
import type { Entry } from './entry.ts';
import { type ModelledApps, type Version, versionOf } from './modelled-apps.ts';

/** Requests routed individually in each second; at a higher rate each sample counts for several requests. */
const MOST_SAMPLES = 20;

export interface Requests {
  sent: number;
  /** Answered with 5xx. */
  failed: number;
}

/** Requests of users by the version that answered, or `none` if a proxy answered itself. */
export type RequestCounts = Record<Version | 'none', Requests>;

export interface Users {
  counts(): RequestCounts;
  rate(perSecond: number): void;
  /** Status of one request to a host of the cluster. */
  ask(host: string): number;
  /** Sends the requests of one second. */
  askForSecond(): void;
}

/** Users who send requests at a rate, through the routes that the proxies have at that moment. */
export function usersOf(
  world: World,
  { mesh, apps, entry, perSecond: first }: { mesh: Mesh; apps: ModelledApps; entry: Entry; perSecond: number },
): Users {
  const counts: RequestCounts = { old: { sent: 0, failed: 0 }, new: { sent: 0, failed: 0 }, none: { sent: 0, failed: 0 } };
  const ordinary = { ...entry };
  const chosen = { ...entry, headers: { ...entry.headers, ...entry.chosenHeaders } };
  let perSecond = first;
  let turn = 0;
  let owed = 0;
  const askForSecond = (): void => {
    owed += perSecond;
    let left = Math.floor(owed);
    owed -= left;
    for (let sample = Math.min(left, MOST_SAMPLES); sample > 0; sample -= 1) {
      const count = Math.ceil(left / sample);
      left -= count;
      turn += 1;
      const request = world.random() < entry.chosenShare ? chosen : ordinary;
      const { status, pod } = mesh.model(turn, request, apps.answerOf, count);
      const answered = counts[pod === undefined ? 'none' : versionOf(pod)];
      answered.sent += count;
      if (status >= 500) answered.failed += count;
    }
  };
  return {
    counts: () => structuredClone(counts),
    rate(next) {
      perSecond = next;
    },
    ask: (host) => mesh.model(turn, { host, path: '/', headers: {}, gateway: 'mesh' }, apps.answerOf).status,
    askForSecond,
  };
}

export function lessRequests(after: RequestCounts, before: RequestCounts): RequestCounts {
  const of = (version: keyof RequestCounts): Requests => ({
    sent: after[version].sent - before[version].sent,
    failed: after[version].failed - before[version].failed,
  });
  return { old: of('old'), new: of('new'), none: of('none') };
}
