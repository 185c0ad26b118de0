import { seededRandom } from '../../../src/embedded/mesh/random.ts';
import { raw } from '../../fakes/raw.ts';
import type { Environment } from '../environment.ts';
import { istio } from '../providers/istio.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import { sleep } from '../world.ts';
import { App } from './app.ts';
import { CHANGING, type Chronicle, keepChronicle, violationsIn } from './chronicle.ts';
import { type Clients, startClients } from './clients.ts';
import { Lab } from './lab.ts';

/** A release takes about this long, in milliseconds, and its three waits for proxies; the kill comes at a random moment of it. */
const RELEASE_MS = 3_000;
const WAITS = 3;
export const LONGEST_DOWN_MS = 600;

/** Checks twice a second, three steps. */
export const KILL_ANALYSIS = {
  interval: '500ms',
  threshold: 4,
  stepWeight: 25,
  maxWeight: 75,
  // A machine too busy to scrape must not look like a kill that changed a verdict.
  unmeasured: 'hold',
  metrics: [{ name: 'request-success-rate', interval: '3s', thresholdRange: { min: 90 } }],
};

export interface KillOptions {
  /** The provider that users come in by; default Istio. */
  fixture?: ProviderFixture;
  /** Time for each of its proxies, and for their counters, to follow a change. Milliseconds; default 500. */
  proxiesKnowMs?: number;
}

export interface KillReport {
  seed: number;
  version: string;
  expected: 'Succeeded' | 'Failed';
  /** When the controller was killed, and for how long it was down: milliseconds. */
  killedAfterMs: number;
  downMs: number;
  phaseWhenKilled: string;
  verdict: string;
  /** Its reason in the status, and the last checks. */
  why: string;
  /** State at the end of the release. */
  primaryVersion: string;
  expectedPrimary: string;
  canaryWeight: number;
  violations: string[];
}

/** One cluster and one application, released again and again; the controller is killed once in each release. */
export class KillRuns {
  readonly #lab: Lab;
  readonly #app: App;
  readonly #chronicle: Chronicle;
  readonly #clients: Clients;
  readonly #releaseMs: number;
  readonly #good = new Set(['1']);
  #next = 2;
  #promoted = '1';

  private constructor(lab: Lab, app: App, chronicle: Chronicle, clients: Clients, releaseMs: number) {
    this.#lab = lab;
    this.#app = app;
    this.#chronicle = chronicle;
    this.#clients = clients;
    this.#releaseMs = releaseMs;
  }

  static async begin(environment: Environment, { fixture = istio, proxiesKnowMs = 500 }: KillOptions = {}): Promise<KillRuns> {
    const lab = await Lab.open(environment, { namespace: 'kills', scaleDownDelay: `${proxiesKnowMs}ms`, interval: '500ms' });
    const app = new App(lab, 'podinfo', fixture);
    const { apiVersion, kind } = app.route;
    const chronicle = await keepChronicle(lab, [...CHANGING.filter(([, each]) => each !== 'VirtualService'), [apiVersion, kind]]);
    await app.create();
    lab.startController();
    await app.createCanary(fixture.provider, KILL_ANALYSIS);
    await app.becomesIdle('Initialized');
    return new KillRuns(lab, app, chronicle, startClients(environment.mesh.urls, app.host), RELEASE_MS + WAITS * proxiesKnowMs);
  }

  /** Odd seeds release a good version, even ones a version that fails every request: of half of them chance lets a busy machine's few checks pass. */
  async run(seed: number): Promise<KillReport> {
    const random = seededRandom(seed);
    const isGood = seed % 2 === 1;
    const version = String(this.#next++);
    if (isGood) this.#good.add(version);
    const killedAfterMs = Math.round(random() * this.#releaseMs);
    const downMs = Math.round(random() * LONGEST_DOWN_MS);
    await this.#lab.controllerIsUp();
    const run = await this.#app.run();
    await this.#app.deploy(version, isGood ? {} : { ERROR_RATE: '1' });
    await sleep(killedAfterMs);
    await this.#lab.stopController('KILL');
    const killed = await this.#lab.cluster.get(this.#app.canary);
    await sleep(downMs);
    this.#lab.startController();
    const verdict = await this.#app.ends(run);
    if (isGood && verdict === 'Succeeded') this.#promoted = version;
    await this.#lab.until(this.#app.target, 'is at zero', (now) => raw(now)?.spec.replicas === 0 && !raw(now).status?.replicas);
    const status = raw(await this.#lab.cluster.get(this.#app.canary))?.status;
    return {
      seed,
      version,
      expected: isGood ? 'Succeeded' : 'Failed',
      killedAfterMs,
      downMs,
      phaseWhenKilled: `${raw(killed)?.status?.phase}/${raw(killed)?.status?.release?.step} ${raw(killed)?.status?.canaryWeight}%`,
      verdict,
      why: JSON.stringify([status?.release?.reason, status?.release?.verdicts]),
      primaryVersion: await this.#app.version(this.#app.primary),
      expectedPrimary: this.#promoted,
      canaryWeight: status?.canaryWeight,
      violations: violationsIn(this.#chronicle.moments(), this.#app, this.#good),
    };
  }

  async end(): Promise<void> {
    this.#chronicle.stop();
    await this.#clients.stop();
    await this.#lab.close();
  }
}

/** Problems of a run, in words that name its seed; empty without problems. */
export function faultsOf(report: KillReport): string[] {
  const { seed, verdict, why, expected, primaryVersion, expectedPrimary, canaryWeight, violations, phaseWhenKilled, killedAfterMs } =
    report;
  const faults = [
    ...(verdict === expected ? [] : [`ended ${verdict}, not ${expected}: ${why}`]),
    ...(primaryVersion === expectedPrimary ? [] : [`the primary runs version ${primaryVersion}, not ${expectedPrimary}`]),
    ...(canaryWeight === 0 ? [] : [`the canary keeps ${canaryWeight}%`]),
    ...violations,
  ];
  return faults.map((fault) => `seed ${seed}, killed after ${killedAfterMs} ms in ${phaseWhenKilled}: ${fault}`);
}
