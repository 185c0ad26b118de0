import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Verb } from '../../../src/api/verb-request.ts';
import { Lab } from '../adversity/lab.ts';
import { LONG_LEASE, Replicas } from '../adversity/replicas.ts';
import type { Environment } from '../environment.ts';
import { startHookServer } from '../hook-server.ts';
import { startApiProxy } from '../troubles/api-proxy.ts';
import { Inquiry, type Way } from './asking.ts';
import { Findings } from './findings.ts';
import { History } from './history.ts';
import { PlacedCanary, type SharedDeps } from './placed-canary.ts';
import { type Place, places } from './places.ts';

/** A Canary in each place, side by side in one namespace under one controller. */
export class Trying {
  readonly lab: Lab;
  readonly history: History;
  readonly placedCanaries: readonly PlacedCanary[];
  readonly #replicas: Replicas;
  readonly #end: () => Promise<void>;

  private constructor(shared: SharedDeps, history: History, end: () => Promise<void>) {
    this.lab = shared.lab;
    this.history = history;
    this.placedCanaries = places.map((place) => new PlacedCanary(shared, place));
    this.#replicas = new Replicas(shared.lab.environment, shared.lab.namespace, LONG_LEASE);
    this.#end = end;
  }

  static async begin(environment: Environment, namespace: string): Promise<Trying> {
    const shut = new Set<string>();
    const proxy = await startApiProxy(readFileSync(environment.kubeconfigFile, 'utf8'), (method, path) => {
      const [, name = ''] = /\/virtualservices\/([^/?]+)/.exec(path) ?? [];
      return method !== 'GET' && shut.has(name) ? 403 : undefined;
    });
    const kubeconfigFile = join(mkdtempSync(join(tmpdir(), 'serin-verbs-')), 'kubeconfig');
    writeFileSync(kubeconfigFile, proxy.kubeconfig, { mode: 0o600 });
    const hooks = await startHookServer();
    const lab = await Lab.open({ ...environment, kubeconfigFile }, { namespace, scaleDownDelay: '500ms', interval: '500ms' });
    const history = await History.keep(lab);
    const trying = new Trying({ lab, hooks, shut }, history, async () => {
      history.stop();
      await lab.close();
      await hooks.stop();
      await proxy.stop();
    });
    lab.startController();
    await Promise.all(trying.placedCanaries.map((placed) => placed.bringToPlace()));
    return trying;
  }

  /** Tries verbs in places, one after the other in each; without an argument every verb in all places. */
  async round(way: Way, verbs: readonly Verb[] = Verb.options, isMeant: (place: Place) => boolean = () => true): Promise<Findings> {
    const findings = new Findings();
    const play = async (placed: PlacedCanary): Promise<void> => {
      for (const verb of verbs)
        await findings.keep(placed, verb, async () => {
          const inquiry = await Inquiry.begin(this.history, placed, verb);
          await inquiry.end(await way(placed, verb));
        });
    };
    await Promise.all(this.placedCanaries.filter(({ place }) => isMeant(place)).map(play));
    return findings;
  }

  /** One verb in every place at once; the replica that answers is killed when it has answered all. */
  async restart(verb: Verb): Promise<Findings> {
    const findings = new Findings();
    const asked = await this.#begin(verb);
    await this.lab.stopController('KILL');
    await Promise.all(asked.map((one) => one.ask()));
    this.lab.startController();
    await Promise.all(asked.map(({ placed, ids }) => placed.requests.answered(ids[0] ?? '')));
    await this.lab.stopController('KILL');
    this.lab.startController();
    await Promise.all(asked.map(({ placed, inquiry, ids }) => findings.keep(placed, verb, () => inquiry.end(ids))));
    return findings;
  }

  /** The same with two replicas, of which the leader gets SIGTERM while a request is open. */
  async handOver(verb: Verb): Promise<Findings> {
    await this.lab.stopController('TERM');
    await this.#replicas.fill();
    const leader = await this.#replicas.leader();
    const findings = new Findings();
    const asked = await this.#begin(verb);
    await Promise.all([...asked.map((one) => one.ask()), leader.process.stop('TERM')]);
    await Promise.all(asked.map(({ placed, inquiry, ids }) => findings.keep(placed, verb, () => inquiry.end(ids))));
    return findings;
  }

  async end(): Promise<void> {
    await this.#replicas.end();
    await this.#end();
  }

  #begin(verb: Verb) {
    const begin = async (placed: PlacedCanary) => {
      const ids: string[] = [];
      const inquiry = await Inquiry.begin(this.history, placed, verb);
      return { placed, inquiry, ids, ask: async () => void ids.push(await placed.requests.ask(verb)) };
    };
    return Promise.all(this.placedCanaries.map(begin));
  }
}
