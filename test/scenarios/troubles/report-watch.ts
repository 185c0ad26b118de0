import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { raw } from '../../fakes/raw.ts';
import type { Environment } from '../environment.ts';
import { BOUND_MS } from '../until.ts';
import { afterAll, beforeAll, world } from '../world.ts';
import { canaryRef } from './objects.ts';

/** Texts in `kubectl describe canary`: messages of conditions and events. */
export interface CanaryReport {
  conditions: { type: string; status: string; reason: string; message: string }[];
  events: string[];
  phase: string;
}

/** Follows one namespace's Canaries and their Events, and remembers what was said of each. */
export class ReportWatch {
  readonly #canaries = new Map<string, KubeObject>();
  readonly #events = new Map<string, string[]>();
  readonly #waiting = new Set<() => void>();
  readonly #watches: { stop(): void; synced: Promise<void> }[];

  constructor(cluster: Cluster) {
    const heed = (object: KubeObject) => {
      if (object.kind === 'Canary') this.#canaries.set(keyOf(object.metadata), object);
      else if (raw(object).involvedObject?.kind === 'Canary') {
        const key = keyOf(raw(object).involvedObject);
        this.#events.set(key, [...(this.#events.get(key) ?? []), `${object.reason}: ${object.message}`]);
      }
      for (const look of this.#waiting) look();
    };
    const forget = (object: KubeObject) => {
      // Events expire; a Canary that is removed has no conditions left.
      if (object.kind === 'Canary') this.#canaries.delete(keyOf(object.metadata));
      for (const look of this.#waiting) look();
    };
    const follow = (apiVersion: string, kind: string) =>
      cluster.watch(
        { apiVersion, kind },
        { onEvent: ({ type, object }) => (type === 'DELETED' ? forget(object) : heed(object)), onList: (items) => items.forEach(heed) },
      );
    this.#watches = [follow('flagger.app/v1beta1', 'Canary'), follow('v1', 'Event')];
  }

  get synced(): Promise<unknown> {
    return Promise.all(this.#watches.map(({ synced }) => synced));
  }

  of(namespace: string, name: string): CanaryReport {
    const { metadata } = { metadata: canaryRef(namespace, name) };
    const status = raw(this.#canaries.get(keyOf(metadata)))?.status;
    return { conditions: status?.conditions ?? [], events: this.#events.get(keyOf(metadata)) ?? [], phase: status?.phase ?? '' };
  }

  /** Resolves when it is so; the error after the bound shows what was reported instead. */
  async until(
    namespace: string,
    name: string,
    what: string,
    isSo: (report: CanaryReport) => boolean,
    boundMs = BOUND_MS,
  ): Promise<CanaryReport> {
    const { promise, resolve, reject } = Promise.withResolvers<CanaryReport>();
    const look = () => {
      const report = this.of(namespace, name);
      if (isSo(report)) resolve(report);
    };
    this.#waiting.add(look);
    const cancel = world().clock.setTimer(boundMs, () =>
      reject(
        new Error(`${namespace}/${name}: ${what} was not reported. The report is ${JSON.stringify(this.of(namespace, name), null, 1)}`),
      ),
    );
    look();
    try {
      return await promise;
    } finally {
      cancel();
      this.#waiting.delete(look);
    }
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop();
  }
}

const keyOf = ({ namespace, name }: { namespace?: string; name: string }): string => `${namespace}/${name}`;

/** One for all tests of a block. */
export function aReportWatch(environmentOf: () => Environment): () => ReportWatch {
  let reports: ReportWatch | undefined;
  beforeAll(async () => {
    reports = new ReportWatch(environmentOf().cluster);
    await reports.synced;
  });
  afterAll(() => reports?.stop());
  return () => {
    if (reports === undefined) throw new Error('the reports is there when a test runs, not before');
    return reports;
  };
}
