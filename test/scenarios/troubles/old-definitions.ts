import { expect, it } from 'vitest';
import { crds } from '../../../src/api/crds.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { Environment } from '../environment.ts';
import { eventually } from '../eventually.ts';
import { OUTDATED } from '../stalls/outdated.ts';
import type { Stall, StallFixture } from '../stalls/stall.ts';
import { until } from '../until.ts';
import { startUsers, type Users } from '../users.ts';
import { aCanary, aDeployment, canaryRef, makeNamespace, push } from './objects.ts';

const APP = 'web';

export function canaryCrd(): KubeObject {
  const crd = crds().find(({ spec }) => spec.names.kind === 'Canary');
  if (crd === undefined) throw new Error('the CRD of Canaries is missing');
  return crd;
}

/** An older definition, which prunes the stored release of a Canary. */
export function withoutRelease(crd: KubeObject): KubeObject {
  const older = structuredClone(crd);
  for (const { schema } of raw(older).spec.versions) delete schema.openAPIV3Schema.properties.status.properties.release;
  return older;
}

const GATES = ['confirm-traffic-increase', 'confirm-promotion'];
/** Step of a release when the definition is changed under it: a gate holds it there. */
const moments = [
  { gate: 'confirm-traffic-increase', isThere: (status: KubeObject) => Number(status.canaryWeight) > 0 },
  { gate: 'confirm-promotion', isThere: ({ phase }: KubeObject) => phase === 'WaitingPromotion' },
];
type Moment = (typeof moments)[number];

/** The older definition is put back while releases are under way, as a tool does that holds the cluster to a repository. */
export function testOldDefinitions(
  environmentOf: () => Environment,
  fixtureOf: () => StallFixture,
  isReported: (stall: Stall) => Promise<void>,
): void {
  it('releases in progress when an older definition is applied stall, serve on, and are promoted when it is repaired', async () => {
    const { cluster } = fixtureOf();
    const releases = moments.map((moment) => new HeldRelease(moment, environmentOf(), fixtureOf()));
    try {
      await Promise.all(releases.map((one) => one.begin()));
      await cluster.apply(withoutRelease(canaryCrd()));
      await Promise.all(releases.map((one) => one.hasLostItsMemory()));
      for (const one of releases) one.open();
      await Promise.all(releases.map(({ stall }) => isReported(stall)));
      await Promise.all(releases.map((one) => one.standsStill()));
      await cluster.apply(canaryCrd());
      await Promise.all(releases.map((one) => one.isPromoted()));
    } finally {
      await cluster.apply(canaryCrd());
      await Promise.all(releases.map((one) => one.end()));
    }
  });
}

/** One release, held by its gate, and users who send requests continuously. */
class HeldRelease {
  readonly stall: Stall;
  readonly #moment: Moment;
  readonly #fixture: StallFixture;
  readonly #urls: readonly string[];
  #users: Users | undefined;

  constructor(moment: Moment, { mesh }: Environment, fixture: StallFixture) {
    const namespace = `put-back-${moment.gate}`;
    this.stall = { ...OUTDATED, namespace, run: () => this.begin() };
    this.#moment = moment;
    this.#fixture = fixture;
    this.#urls = mesh.urls;
  }

  get #namespace(): string {
    return this.stall.namespace;
  }

  async begin(): Promise<void> {
    const { cluster, reports, hooks } = this.#fixture;
    const { gate, isThere } = this.#moment;
    await makeNamespace(cluster, this.#namespace);
    await cluster.create(aDeployment(this.#namespace, APP));
    const webhooks = GATES.map((type) => ({ name: type, type, url: hooks.url(this.#hook(type)), timeout: '10s' }));
    await cluster.create(aCanary(this.#namespace, APP, { stepWeight: 25, maxWeight: 50, threshold: 50, webhooks }));
    await reports.until(this.#namespace, APP, 'Initialized', ({ phase }) => phase === 'Initialized');
    this.#users = startUsers(this.#urls, `${APP}.${this.#namespace}`);
    // However slow the machine is: a release that has passed the first gate is held by the second.
    hooks.answers(this.#hook('confirm-promotion'), 403);
    await push(cluster, this.#namespace, APP, '2');
    await until(cluster, canaryRef(this.#namespace, APP), `is where ${gate} holds it`, (now) => isThere(raw(now)?.status ?? {}));
    hooks.answers(this.#hook(gate), 403);
  }

  async hasLostItsMemory(): Promise<void> {
    const release = async () => raw(await this.#fixture.cluster.get(canaryRef(this.#namespace, APP)))?.status?.release;
    await eventually('the Canary has lost its memory', release, (found) => found === undefined);
  }

  open(): void {
    for (const type of GATES) this.#fixture.hooks.answers(this.#hook(type), 200);
  }

  async standsStill(): Promise<void> {
    const stoodAt = await this.#weights();
    expect(stoodAt?.[1]).toBeGreaterThan(0);
    this.#users?.forget();
    const versions = () => Object.keys(this.#users?.byVersion() ?? {}).toSorted();
    await eventually('both sides serve', versions, (seen) => seen.join() === '1,2');
    expect(await this.#weights(), 'no step is made').toEqual(stoodAt);
    expect(await this.#primaryImage(), 'nothing is promoted').toBe('web:1');
  }

  async isPromoted(): Promise<void> {
    const report = await this.#fixture.reports.until(this.#namespace, APP, 'success', ({ phase }) => phase === 'Succeeded');
    expect(report.conditions.map(({ type }) => type)).toEqual(['Promoted']);
    expect(await this.#primaryImage()).toBe('web:2');
    expect(this.#users?.lost()).toEqual([]);
  }

  async end(): Promise<void> {
    await this.#users?.stop();
  }

  #hook(type: string): string {
    return `${this.#namespace}-${type}`;
  }

  async #weights(): Promise<number[]> {
    const route = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: this.#namespace };
    return raw(await this.#fixture.cluster.get(route))?.spec.http[0].route.map(({ weight }: { weight: number }) => weight);
  }

  async #primaryImage(): Promise<string> {
    const primary = { apiVersion: 'apps/v1', kind: 'Deployment', name: `${APP}-primary`, namespace: this.#namespace };
    return raw(await this.#fixture.cluster.get(primary))?.spec.template.spec.containers[0].image;
  }
}
