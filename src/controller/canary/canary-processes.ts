import type { ObjectRef } from '../../api/kube-object.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import type { ControllerMetrics } from '../telemetry/controller-metrics.ts';
import type { CanaryMemory } from './canary-memory.ts';
import { CanaryProcess } from './canary-process.ts';

type CountedBy = Pick<ControllerMetrics, 'gone' | 'counted'>;

/** The processes of the Canaries by `namespace/name`. An idle Canary has only its memory: its process is made again when it is woken. */
export class CanaryProcesses {
  readonly #deps: ControllerDeps;
  readonly #metrics: CountedBy;
  readonly #processes = new Map<string, CanaryProcess | CanaryMemory>();

  constructor(deps: ControllerDeps, metrics: CountedBy) {
    this.#deps = deps;
    this.#metrics = metrics;
  }

  has(key: string): boolean {
    return this.#processes.has(key);
  }

  keys(): Iterable<string> {
    return this.#processes.keys();
  }

  /** The process of the Canary, new or made again if it has none. */
  of(key: string): CanaryProcess {
    const known = this.#processes.get(key);
    if (known instanceof CanaryProcess) return known;
    const { namespace, name } = refOfKey(key);
    const process = new CanaryProcess(this.#deps, { namespace, name }, known, (memory) => {
      if (this.#processes.get(key) === process) this.#processes.set(key, memory);
    });
    this.#processes.set(key, process);
    if (known === undefined) this.#metrics.counted(namespace, 1);
    return process;
  }

  /** The process of a Canary that has been looked at before. */
  awake(key: string): CanaryProcess | undefined {
    return this.#processes.has(key) ? this.of(key) : undefined;
  }

  /** Resolves when the reconcile that is under way has ended. */
  async idle(key: string): Promise<void> {
    const process = this.#processes.get(key);
    if (process instanceof CanaryProcess) await process.idle();
  }

  /** Ends the process of a Canary that is gone or is another's now. */
  forget(key: string): void {
    const { namespace, name } = refOfKey(key);
    this.#metrics.gone({ namespace, name });
    const process = this.awake(key);
    if (process === undefined) return;
    void process.stop();
    this.#processes.delete(key);
    this.#metrics.counted(namespace, -1);
  }

  /** Cancels every process; resolves when none can write any more. */
  async stop(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process instanceof CanaryProcess && process.stop()));
  }
}

/** The Canary of a key. */
export function refOfKey(key: string): ObjectRef & { namespace: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace, name };
}
