import { seededRandom } from '../../../src/embedded/mesh/random.ts';
import { raw } from '../../fakes/raw.ts';
import type { Environment } from '../environment.ts';
import { sleep } from '../world.ts';
import { App } from './app.ts';
import { type Chronicle, keepChronicle, type Moment, violationsIn } from './chronicle.ts';
import { type Clients, startClients } from './clients.ts';
import { Lab } from './lab.ts';
import type { LeaseTimes, Replica } from './replica.ts';
import { Replicas } from './replicas.ts';

/** A release takes about this long here, in milliseconds; what happens to the leader comes at a random moment of it. */
const RELEASE_MS = 4_500;
const STEP = 25;

export interface FailoverReport {
  verdict: string;
  primaryVersion: string;
  expectedPrimary: string;
  violations: string[];
}

/** One application, released again and again by two replicas, of which the leader is harmed once in each release. */
export class FailoverRuns {
  readonly #lab: Lab;
  readonly #app: App;
  readonly #chronicle: Chronicle;
  readonly #clients: Clients;
  readonly #replicas: Replicas;
  readonly #good = new Set(['1']);
  #next = 2;

  private constructor(lab: Lab, app: App, chronicle: Chronicle, clients: Clients, replicas: Replicas) {
    this.#lab = lab;
    this.#app = app;
    this.#chronicle = chronicle;
    this.#clients = clients;
    this.#replicas = replicas;
  }

  static async begin(environment: Environment, namespace: string, lease: LeaseTimes): Promise<FailoverRuns> {
    const lab = await Lab.open(environment, { namespace, scaleDownDelay: '500ms', interval: '500ms' });
    const chronicle = await keepChronicle(lab);
    const app = new App(lab, 'podinfo');
    await app.create();
    const runs = new FailoverRuns(
      lab,
      app,
      chronicle,
      startClients(environment.mesh.urls, app.host),
      new Replicas(environment, namespace, lease),
    );
    await runs.#replicas.fill();
    await app.createCanary('istio', {
      interval: '500ms',
      threshold: 4,
      stepWeight: STEP,
      maxWeight: 75,
      // A machine too busy to scrape must not look like a hand-over that changed a verdict.
      unmeasured: 'hold',
      metrics: [{ name: 'request-success-rate', interval: '3s', thresholdRange: { min: 90 } }],
    });
    await app.becomesIdle('Initialized');
    return runs;
  }

  /** The leader, as soon as exactly one replica leads. */
  leader(): Promise<Replica> {
    return this.#replicas.leader();
  }

  others(than: Replica): readonly Replica[] {
    return this.#replicas.others(than);
  }

  /** Deploys a good version, and does this to the leader in the middle of its release. */
  async run(seed: number, harm: (leader: Replica) => Promise<void>): Promise<FailoverReport> {
    await this.#replicas.fill();
    const leader = await this.leader();
    const version = String(this.#next++);
    this.#good.add(version);
    const run = await this.#app.run();
    const from = this.#chronicle.moments().length;
    await this.#app.deploy(version);
    await sleep(Math.round(seededRandom(seed)() * RELEASE_MS));
    await harm(leader);
    const verdict = await this.#app.ends(run);
    await this.#lab.until(this.#app.target, 'is at zero', (now) => raw(now)?.spec.replicas === 0 && !raw(now).status?.replicas);
    const moments = this.#chronicle.moments();
    const runs = (await this.#app.run()) - run;
    return {
      verdict,
      primaryVersion: await this.#app.version(this.#app.primary),
      expectedPrimary: version,
      violations: [
        ...violationsIn(moments, this.#app, this.#good),
        ...doubleSteps(moments.slice(from)),
        ...(runs === 1 ? [] : [`one change of the target began ${runs} releases`]),
      ],
    };
  }

  async end(): Promise<void> {
    this.#chronicle.stop();
    await this.#clients.stop();
    await this.#replicas.end();
  }
}

/** A weight that rises by more than one step at a time, or to the same step twice. */
function doubleSteps(moments: readonly Moment[]): string[] {
  const weights = moments.flatMap(({ kind, object }) => (kind === 'Canary' ? [Number(raw(object).status?.canaryWeight ?? 0)] : []));
  const rises = weights.filter((weight, index) => weight > (weights[index - 1] ?? 0));
  const isTwice = new Set(rises).size !== rises.length;
  const isJump = weights.some((weight, index) => weight - (weights[index - 1] ?? 0) > STEP && weight !== 100);
  return isTwice || isJump ? [`the weight went ${weights.join(' ')}`] : [];
}
