import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Verb } from '../../../src/api/verb-request.ts';
import { raw } from '../../fakes/raw.ts';
import type { Lab } from '../adversity/lab.ts';
import { eventually } from '../eventually.ts';
import type { HookServer } from '../hook-server.ts';
import { aCanary, aDeployment, canaryRef, push } from '../troubles/objects.ts';
import type { Place } from './places.ts';
import { Requests } from './requests.ts';
import { snapshotOf } from './snapshot.ts';

/** Shared resources of the places of one namespace. */
export interface SharedDeps {
  lab: Lab;
  hooks: HookServer;
  /** Names of Canaries whose routes cannot be written. */
  shut: Set<string>;
}

/** Percent of the requests by which a release goes on here. */
export const STEP = 10;
/** Longer than any test waits. */
const NEVER_S = 36_000;
const STEP_GATE = 'confirm-traffic-increase';

/** A Canary in its place: brought there, looked at, and brought back. */
export class PlacedCanary {
  readonly place: Place;
  readonly requests: Requests;
  readonly #shared: SharedDeps;
  #version = 1;

  constructor(shared: SharedDeps, place: Place) {
    this.#shared = shared;
    this.place = place;
    this.requests = new Requests(shared.lab, this.ref);
  }

  get ref() {
    return canaryRef(this.#shared.lab.namespace, this.place.name);
  }

  async bringToPlace(): Promise<void> {
    const { lab, hooks } = this.#shared;
    const { name, env, isUnborn, gates } = this.place;
    const webhooks = Object.keys(gates).map((type) => ({ name: type, type, url: hooks.url(this.#hook(type)), timeout: '60s' }));
    const target = aDeployment(lab.namespace, name, isUnborn && env);
    await lab.cluster.create({ ...target, spec: { ...raw(target).spec, progressDeadlineSeconds: NEVER_S } });
    const analysis = { interval: '500ms', stepWeight: STEP, maxWeight: 2 * STEP, webhooks };
    await lab.cluster.create(aCanary(lab.namespace, name, analysis, { progressDeadlineSeconds: NEVER_S }));
    if (isUnborn) return this.until(this.place.at);
    await this.until('Initialized.resting');
    await this.#release();
  }

  /** After a verb was carried out, to where it was before. */
  async comeBack(verb: Verb): Promise<void> {
    if (verb === 'pause' || verb === 'resume') return this.#hold(verb === 'resume');
    if (this.place.at.endsWith('.resting')) return this.#stand(this.place.gates);
    const { lab, shut } = this.#shared;
    // A noted retry begins when its routes can be written.
    if (shut.has(this.place.name)) {
      this.#answer(this.place.gates);
      shut.delete(this.place.name);
      await this.until('Progressing.analysing');
    }
    if ((await this.state()).startsWith('Progressing')) {
      const primary = await lab.cluster.get(this.#deployment(`${this.place.name}-primary`));
      const { containers } = raw(primary)?.spec.template.spec ?? {};
      await lab.cluster.patch(this.#deployment(this.place.name), { spec: { template: { spec: { containers } } } });
      await this.until('Succeeded.resting');
    }
    await this.#release();
  }

  async until(at: string): Promise<void> {
    const { lab, hooks } = this.#shared;
    const found = await lab.until(this.ref, `is in ${at}`, (now) => stateOf(now) === at);
    // Its pods are no longer needed then, and end a little later.
    if (at.endsWith('.resting')) await lab.until(this.#deployment(this.place.name), 'is at zero', (now) => raw(now)?.spec.replicas === 0);
    if (at !== 'Progressing.analysing') return;
    // The gate is called when the step is in force, and holds it from then on.
    const { revision } = raw(found)?.status?.release ?? {};
    const isHeld = (call: Record<string, unknown>) => call.revision === revision && call.canaryWeight === STEP;
    const isAsked = () => hooks.calls(this.#hook(STEP_GATE)).some(isHeld);
    if (STEP_GATE in this.place.gates) await eventually(`${this.place.name} is held at its first step`, isAsked);
  }

  /** `phase.step`. */
  async state(): Promise<string> {
    return stateOf(await this.#canary());
  }

  /** Number of the last write to the Canary. */
  async version(): Promise<number> {
    return Number((await this.#canary())?.metadata.resourceVersion);
  }

  async pausedBy(): Promise<string | undefined> {
    return raw(await this.#canary())?.status?.release?.paused?.by;
  }

  snapshot(): Promise<unknown> {
    return snapshotOf(this.#shared.lab, this.place.name);
  }

  /** A new version, as far as its place. */
  async #release(): Promise<void> {
    const { lab, shut } = this.#shared;
    const { name, gates, env, via } = this.place;
    this.#answer(gates);
    this.#version += 1;
    await push(lab.cluster, lab.namespace, name, String(this.#version), env);
    if (via) {
      await this.until(via.at);
      shut.add(name);
    }
    await this.#stand(via?.gates);
    if (this.place.isPaused) await this.#hold(true);
  }

  async #stand(gates: Place['gates'] = {}): Promise<void> {
    this.#answer(gates);
    await this.until(this.place.at);
    this.#answer(this.place.afterwards);
  }

  async #hold(isPaused: boolean): Promise<void> {
    await this.requests.answered(await this.requests.ask(isPaused ? 'pause' : 'resume'));
  }

  #answer(gates: Place['gates'] = {}): void {
    for (const [type, answer] of Object.entries(gates)) this.#shared.hooks.answers(this.#hook(type), answer);
  }

  #canary(): Promise<KubeObject | undefined> {
    return this.#shared.lab.cluster.get(this.ref);
  }

  #hook(type: string): string {
    return `${this.place.name}-${type}`;
  }

  #deployment(name: string) {
    return { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: this.#shared.lab.namespace };
  }
}

const stateOf = (canary?: KubeObject): string => `${raw(canary)?.status?.phase}.${raw(canary)?.status?.release?.step}`;
