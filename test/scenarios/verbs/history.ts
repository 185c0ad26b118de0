import { asEvent } from '../../../src/api/kinds/event.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Acknowledgement } from '../../../src/api/verb-request.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { imageTag } from '../adversity/app.ts';
import { CHANGING, type Chronicle, keepChronicle, type Moment } from '../adversity/chronicle.ts';
import type { Lab } from '../adversity/lab.ts';
import type { Effect } from './table.ts';

/** All that happened to the Canaries of a namespace, as the watches brought it. */
export class History {
  readonly #chronicle: Chronicle;

  private constructor(chronicle: Chronicle) {
    this.#chronicle = chronicle;
  }

  static async keep(lab: Lab): Promise<History> {
    return new History(await keepChronicle(lab, [...CHANGING, ['v1', 'Event']]));
  }

  stop(): void {
    this.#chronicle.stop();
  }

  /** Each different answer to a request that was ever recorded; more than one is one too many. */
  answers(name: string, id: string): Acknowledgement[] {
    const found = this.#of('Canary', name).flatMap(({ object }) => requestsOf(object).filter((one) => one.id === id));
    return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  }

  /** An answer that is listed twice in one status. */
  isTwofold(name: string, id: string): boolean {
    return this.#of('Canary', name).some(({ object }) => requestsOf(object).filter((one) => one.id === id).length > 1);
  }

  /** The reasons of the Events about this request, each repeated by its count. */
  reasonsOf(id: string): string[] {
    const about = this.#events().filter(({ object }) => raw(object).message?.endsWith(`(${id})`));
    const counts = new Map(about.map(({ name, object }) => [name, asEvent(object)]));
    return [...counts.values()].flatMap(({ reason = '', count = 1 }) => Array.from<string>({ length: count }).fill(reason));
  }

  /** Reasons of all requests. */
  reasons(): Set<string> {
    return new Set(this.#events().map(({ object }) => String(object.reason)));
  }

  /** Effects since the write with this number. */
  effectSince(version: number, name: string): Effect {
    const target = this.#of('Deployment', name);
    return {
      runs: changes(this.#of('Canary', name), version, ({ status }: Raw) => status?.release?.run ?? 0),
      promotions: changes(this.#of('Deployment', `${name}-primary`), version, imageTag),
      templates: changes(target, version, imageTag),
      raises: changes(target, version, ({ spec }: Raw) => spec.replicas > 0, Boolean),
    };
  }

  /** Weights that rose by more than a step at a time. */
  doubleSteps(name: string, step: number): string[] {
    const weights = this.#of('Canary', name).map(({ object }) => Number(raw(object).status?.canaryWeight ?? 0));
    return weights.some((weight, index) => weight - (weights[index - 1] ?? 0) > step) ? [`the weight went ${weights.join(' ')}`] : [];
  }

  #events(): Moment[] {
    return this.#chronicle.moments().filter(({ kind, object }) => kind === 'Event' && raw(object).reason.startsWith('Request'));
  }

  #of(kind: string, name: string): Moment[] {
    return this.#chronicle.moments().filter((one) => one.kind === kind && one.name === name);
  }
}

/** Number of changes of a value. */
function changes<T>(
  moments: readonly Moment[],
  since: number,
  read: (object: KubeObject) => T,
  counts: (now: T) => boolean = () => true,
): number {
  const values = moments.map(({ version, object }) => ({ version, value: read(object) }));
  return values.filter(({ version, value }, index) => index > 0 && version > since && value !== values[index - 1]?.value && counts(value))
    .length;
}

const requestsOf = ({ status }: Raw): Acknowledgement[] => status?.release?.requests ?? [];
