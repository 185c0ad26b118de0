import type { Environment } from '../environment.ts';
import { eventually } from '../eventually.ts';
import { type LeaseTimes, Replica } from './replica.ts';

/** Longer than any test: a successor takes over because the lease was released. */
export const LONG_LEASE: LeaseTimes = { leaseDurationS: 3_000, renewDeadlineS: 2_000, retryPeriodMs: 300 };

/** Two controllers of one namespace that elect a leader; who dies is replaced. */
export class Replicas {
  readonly #environment: Environment;
  readonly #namespace: string;
  readonly #lease: LeaseTimes;
  #all: Replica[] = [];

  constructor(environment: Environment, namespace: string, lease: LeaseTimes) {
    this.#environment = environment;
    this.#namespace = namespace;
    this.#lease = lease;
  }

  /** Two of them, the dead replaced. */
  async fill(): Promise<void> {
    const dead = this.#all.filter(({ process }) => process.hasExited());
    await Promise.all(dead.map((one) => one.end()));
    this.#all = this.#all.filter((one) => !dead.includes(one));
    while (this.#all.length < 2) this.#all.push(await Replica.start(this.#environment, this.#namespace, this.#lease));
  }

  /** The leader, as soon as exactly one replica leads. */
  async leader(): Promise<Replica> {
    const leading = async () => (await Promise.all(this.#all.map(async (one) => ((await one.leads()) ? [one] : [])))).flat();
    const [leader] = await eventually('one replica leads', leading, (found) => found.length === 1);
    if (leader === undefined) throw new Error('no replica leads');
    return leader;
  }

  others(than: Replica): readonly Replica[] {
    return this.#all.filter((one) => one !== than);
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map((one) => one.end()));
  }
}
