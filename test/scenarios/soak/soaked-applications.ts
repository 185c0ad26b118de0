import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { nameOf } from '../../bench/applications.ts';
import { createCanary, createNamespace, createTarget, inParallel, pushImage, STEPS } from '../../bench/at-once/at-once-applications.ts';
import type { FakePrometheus } from '../../bench/at-once/fake-prometheus.ts';
import { type ReleaseLog, stepsOf } from '../../bench/at-once/release-log.ts';
import { sleep } from '../world.ts';
import { type LatenessByChange, LatenessRecorder, type LeaderlessTime } from './lateness.ts';

interface Place {
  cluster: KubeCluster;
  namespace: string;
  prometheus: FakePrometheus;
  log: ReleaseLog;
  /** At least `from`, and below `to`. */
  draw(from: number, to: number): number;
  /** Canaries are also deleted and made again, which takes a control plane that collects garbage. */
  areMadeAgain: boolean;
  /** So far. */
  leaderless: readonly LeaderlessTime[];
}

export interface LifeReport {
  releases: { good: number; bad: number };
  madeAgain: number;
  /** Releases that ended otherwise than their version deserves. */
  wrong: readonly string[];
  lateness: LatenessByChange;
}

/** Bound of each wait: a release is over after a minute or two. */
const BOUND_MS = 900_000;
const AT_ONCE = 32;
/** Two steps, at the interval of these Canaries. */
const EDITED_AFTER_MS = 25_000;
/** Each version of an application, of which one is bad: texts that name a version are the same in each third cycle, like what is remembered of them. */
const VERSIONS = 3;
/** Serin remembers the names of up to 32 deleted objects of a kind: fewer applications would not come to that in hours. */
const RENAMED_FROM = 100;

/** Applications that are released, edited, deleted and made again, cycle after cycle. All tens of them have the same lives. */
export class SoakedApplications {
  readonly #place: Place;
  /** Number in the name of each application. An application in place of a deleted application has a new name. */
  readonly #indices: number[];
  readonly #lateness: LatenessRecorder;
  readonly #wrong: string[] = [];
  readonly #releases = { good: 0, bad: 0 };
  #nextIndex: number;
  #madeAgain = 0;

  constructor(place: Place, count: number) {
    this.#place = place;
    this.#lateness = new LatenessRecorder(place.leaderless);
    this.#indices = Array.from({ length: count }, (_, index) => index);
    this.#nextIndex = count;
  }

  async create(): Promise<void> {
    const { cluster, namespace, log } = this.#place;
    const { length } = this.#indices;
    await createNamespace(cluster, namespace);
    await inParallel(length, AT_ONCE, async (index) => {
      await createTarget(cluster, namespace, index);
      await createCanary(cluster, namespace, index, STEPS);
    });
    await this.#until('all are initialized', () => log.phases().Initialized === length);
  }

  /** A release of each application, which begins within this time. Resolves when all have ended. */
  async cycle(cycle: number, withinMs: number): Promise<void> {
    await Promise.all(this.#indices.map((_, position) => this.#live(cycle, position, this.#place.draw(0, withinMs))));
  }

  report(): LifeReport {
    return { releases: this.#releases, madeAgain: this.#madeAgain, wrong: this.#wrong, lateness: this.#lateness.report() };
  }

  /** One in ten is deleted and made again before its release, one in ten is edited in the middle of it, and one in ten after it. */
  async #live(cycle: number, position: number, afterMs: number): Promise<void> {
    const life = position % 10;
    const isShort = this.#isShort(position);
    if (isShort) await this.#makeAgain(position);
    await sleep(afterMs);
    const version = (position + cycle) % VERSIONS;
    const release = this.#release(position, version, isShort || version !== 0);
    if (life === 3) {
      await sleep(EDITED_AFTER_MS);
      await this.#edit(position, { analysis: { stepWeight: cycle % 2 === 0 ? 25 : 10 } });
    }
    await release;
    if (life === 4) await this.#edit(position, { service: { timeout: cycle % 2 === 0 ? '15s' : '20s' } });
  }

  async #release(position: number, version: number, isGood: boolean): Promise<void> {
    const { cluster, namespace, prometheus, log } = this.#place;
    const [index, name] = this.#at(position);
    if (!this.#isShort(position)) prometheus.answerFor(name, isGood);
    const times = log.pushed(name);
    // Targets are created with version 1.
    await pushImage(cluster, namespace, index, String(2 + version));
    await this.#until(`the release of ${name} has ended`, () => times.endedMs !== undefined);
    this.#releases[isGood ? 'good' : 'bad'] += 1;
    if (times.end !== (isGood ? 'Succeeded' : 'Failed')) this.#wrong.push(`${name}, version ${2 + version}: ${times.end}`);
    for (const step of stepsOf(times)) this.#lateness.note(step);
  }

  async #edit(position: number, spec: object): Promise<void> {
    await this.#place.cluster.patch(this.#refOf(position), { spec });
  }

  /** For the same application, or, in every second place of many, for another application of another name. */
  async #makeAgain(position: number): Promise<void> {
    const { cluster, namespace, log } = this.#place;
    const [, name] = this.#at(position);
    await cluster.delete(this.#refOf(position));
    await this.#until(`${name} is gone`, () => log.phaseOf(name) === undefined);
    if (position % 20 === 10 && this.#indices.length >= RENAMED_FROM) {
      await cluster.delete({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name });
      for (const [kind, each] of [
        ['Service', name],
        ['ConfigMap', `${name}-config`],
      ] as const)
        await cluster.delete({ apiVersion: 'v1', kind, namespace, name: each });
      this.#indices[position] = this.#nextIndex;
      this.#nextIndex += 1;
      await createTarget(cluster, namespace, this.#at(position)[0]);
    }
    const [index, next] = this.#at(position);
    await createCanary(cluster, namespace, index, STEPS);
    await this.#until(`${next} is initialized`, () => log.phaseOf(next) === 'Initialized');
    this.#madeAgain += 1;
  }

  #isShort(position: number): boolean {
    return position % 10 === 0 && this.#place.areMadeAgain;
  }

  #at(position: number): [index: number, name: string] {
    const index = this.#indices[position] ?? position;
    return [index, nameOf(index)];
  }

  #refOf(position: number) {
    return { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: this.#place.namespace, name: this.#at(position)[1] };
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    if ((await this.#place.log.until(BOUND_MS, isSo)) === undefined)
      throw new Error(`${what}: not within ${BOUND_MS / 1000} s; phases: ${JSON.stringify(this.#place.log.phases())}`);
  }
}
