import { expect } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { anchorName } from '../../../src/api/names.ts';
import { raw } from '../../fakes/raw.ts';
import type { Environment } from '../../scenarios/environment.ts';
import { aCanary, aDeployment, canaryRef, makeNamespace } from '../../scenarios/troubles/objects.ts';
import { until } from '../../scenarios/until.ts';
import { startUsers, type Users } from '../../scenarios/users.ts';
import { json, type Listener, sample } from './listener.ts';

export const SHOP = 'shop';
const KUBE = 'flagger.app/v1beta1';
const BEAT_MS = 50;
const NAMES = ['web', 'api'] as const;
type Name = (typeof NAMES)[number];

/** One release as the neighbour saw it. */
export interface Release {
  /** Each weight that was recorded, without repeats. */
  weights: number[];
  /** Checks made. */
  steps: number;
  /** Beats of this process from the push to the end: on a busy machine, beats are also slower. */
  beats: number;
}

/** A tenant with two applications, in the same cluster: each release of `web` is good, and each release of `api` is bad. */
export class Neighbour {
  /** Credentials of the neighbour, which no one else must see. */
  readonly markers = new Map<string, string>();
  readonly #environment: Environment;
  readonly #operator: Listener;
  readonly #weights = new Map<Name, number[]>();
  readonly #stops: (() => unknown)[] = [];
  #version = 1;
  #beats = 0;
  #users: Users | undefined;

  constructor(environment: Environment, operator: Listener) {
    this.#environment = environment;
    this.#operator = operator;
  }

  #marker(where: string): string {
    const value = `${SHOP}-plant-${this.markers.size}-${Math.random().toString(36).slice(2, 10)}`;
    this.markers.set(value, where);
    return value;
  }

  async moveIn(): Promise<void> {
    const { cluster } = this.#environment;
    const heart = setInterval(() => {
      this.#beats += 1;
    }, BEAT_MS);
    this.#stops.push(() => clearInterval(heart));
    await makeNamespace(cluster, SHOP);
    const metadata = (name: string) => ({ name, namespace: SHOP });
    const secret = (name: string, data: Record<string, string>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { ...metadata(name), labels: { 'serin.dev/secret': 'referenced' } },
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
    });
    const url = (path: string) => this.#operator.url(`/shop/${path}`);
    await cluster.create(secret('keys', { db: this.#marker('tracked Secret') }));
    await cluster.create(secret('metrics', { token: this.#marker('token of a MetricTemplate') }));
    await cluster.create(secret('chat', { address: url(`chat/${this.#marker('path of an alert')}`) }));
    await cluster.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadata('settings'),
      data: { mode: this.#marker('ConfigMap') },
    });
    await cluster.create({
      apiVersion: KUBE,
      kind: 'MetricTemplate',
      metadata: metadata('ok'),
      spec: {
        provider: { type: 'prometheus', address: url('prom'), secretRef: { name: 'metrics' } },
        query: `up{key="${this.#marker('query')}"}`,
      },
    });
    await cluster.create({
      apiVersion: KUBE,
      kind: 'AlertProvider',
      metadata: metadata('chat'),
      spec: { type: 'slack', channel: 'releases', secretRef: { name: 'chat' } },
    });
    this.#operator.answers('/shop/prom', sample(1));
    this.#operator.answers('/shop/broken', json({}, 500));
    for (const name of NAMES) {
      const deployment = aDeployment(SHOP, name);
      raw(deployment).spec.template.spec.containers = [this.#container('1')];
      await cluster.create(deployment);
      const analysis = {
        stepWeight: 20,
        maxWeight: 60,
        // No check of the good application is meant to fail; on a busy machine a check can be late.
        threshold: name === 'web' ? 20 : 2,
        metrics: [
          {
            name: 'ok',
            thresholdRange: { min: 1 },
            ...(name === 'web' ? { query: `up{key="${this.#marker('query of a Canary')}"}` } : { templateRef: { name: 'ok' } }),
          },
        ],
        webhooks: [
          { name: 'smoke', type: 'rollout', url: url(name === 'web' ? 'smoke' : 'broken') },
          { name: 'done', type: 'post-rollout', url: url(`done/${name}`) },
        ],
        alerts: [{ name: 'chat', severity: 'info', providerRef: { name: 'chat' } }],
      };
      await cluster.create(aCanary(SHOP, name, analysis));
      this.#follow(name);
    }
  }

  /** Waits until its applications serve, and its Canaries wait for a release. */
  async settles(): Promise<void> {
    await Promise.all(
      NAMES.map((name) =>
        until(this.#environment.cluster, canaryRef(SHOP, name), 'is idle', (now) => raw(now)?.status?.release?.step === 'resting'),
      ),
    );
    const [url] = this.#environment.mesh.urls;
    this.#users ??= startUsers(url === undefined ? [] : [url], `web.${SHOP}`);
  }

  /** Requests that were lost so far, and versions that answered. */
  traffic(): { lost: string[]; versions: string[] } {
    return { lost: this.#users?.lost() ?? [], versions: Object.keys(this.#users?.byVersion() ?? {}) };
  }

  /** Versions that its users may see. */
  versions(): string[] {
    return Array.from({ length: this.#version }, (_, index) => String(index + 1));
  }

  /** A new version that is promoted. */
  async releasesWell(): Promise<Release> {
    this.#version += 1;
    const version = String(this.#version);
    const [calls, from] = [this.#operator.received('/shop/smoke').length, this.#weights.get('web')?.length ?? 0];
    const began = this.#beats;
    const run = await this.#release('web', version, 'Succeeded');
    const checks = this.#operator.received('/shop/smoke').slice(calls);
    const primary = await this.#environment.cluster.get({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'web-primary',
      namespace: SHOP,
    });
    expect(raw(primary)?.spec.template.spec.containers[0].image, `revision of ${run}`).toBe(`web:${version}`);
    return {
      weights: (this.#weights.get('web') ?? []).slice(from),
      steps: checks.length,
      beats: this.#beats - began,
    };
  }

  /** A new version that fails its checks, and is rolled back. */
  async releasesBadly(): Promise<void> {
    await this.#release('api', `bad-${this.#version}-${this.#operator.received('/shop/broken').length}`, 'Failed');
    const primary = await this.#environment.cluster.get({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'api-primary',
      namespace: SHOP,
    });
    expect(raw(primary)?.spec.template.spec.containers[0].image).toBe('web:1');
  }

  async #release(name: Name, version: string, phase: string): Promise<string> {
    const { cluster } = this.#environment;
    const before = raw(await cluster.get(canaryRef(SHOP, name)))?.status?.release?.run ?? 0;
    await cluster.patch(
      { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: SHOP },
      { spec: { template: { spec: { containers: [this.#container(version)] } } } },
    );
    const isOver = (now: KubeObject | undefined) =>
      raw(now)?.status?.release?.run > before && raw(now)?.status?.phase === phase && raw(now)?.status?.release?.step === 'resting';
    await until(cluster, canaryRef(SHOP, name), `has ${phase} with ${version}`, isOver);
    return `${name} ${version}`;
  }

  #container(version: string): object {
    return {
      name: 'web',
      image: `web:${version}`,
      ports: [{ name: 'http', containerPort: 9898 }],
      env: [{ name: 'DB_PASSWORD', value: [...this.markers.keys()][0] }],
      envFrom: [{ secretRef: { name: 'keys' } }, { configMapRef: { name: 'settings' } }],
    };
  }

  #follow(name: Name): void {
    const seen: number[] = [];
    this.#weights.set(name, seen);
    const look = (canary: KubeObject | undefined) => {
      const weight = raw(canary)?.status?.canaryWeight;
      if (typeof weight === 'number' && weight !== seen.at(-1)) seen.push(weight);
    };
    const watch = this.#environment.cluster.watch(
      { apiVersion: KUBE, kind: 'Canary', namespace: SHOP },
      { onEvent: ({ object }) => look(object), onList: ([item]) => look(item) },
      { fieldSelector: `metadata.name=${name}` },
    );
    this.#stops.push(() => watch.stop());
  }

  /** Objects that must survive every attack unmodified, by kind and name: uid, and fields that a release does not change. */
  async belongings(): Promise<Record<string, unknown>> {
    const { cluster } = this.#environment;
    const found: Record<string, unknown> = {};
    const kinds = [
      ['v1', 'Service'],
      ['v1', 'Secret'],
      ['v1', 'ConfigMap'],
      ['apps/v1', 'Deployment'],
      ['apps/v1', 'ControllerRevision'],
      ['networking.istio.io/v1beta1', 'VirtualService'],
      ['networking.istio.io/v1beta1', 'DestinationRule'],
      [KUBE, 'Canary'],
      [KUBE, 'MetricTemplate'],
      [KUBE, 'AlertProvider'],
    ] as const;
    for (const [apiVersion, kind] of kinds)
      for (const { metadata, ...object } of (await cluster.list({ apiVersion, kind, namespace: SHOP })).items) {
        const isAnchor = NAMES.some((name) => anchorName({ metadata: { name } }) === metadata.name);
        if (kind === 'ControllerRevision' && !isAnchor) continue;
        // Copies and the cluster's own come and go with releases.
        if (metadata.name.includes('-primary-') || metadata.name.startsWith('kube-')) continue;
        const { uid, ownerReferences, finalizers, annotations } = metadata;
        const isReleased = kind === 'Deployment' || kind === 'Canary';
        const content = isReleased ? raw(object).spec?.selector : (object.spec ?? object.data);
        found[`${kind}/${metadata.name}`] = { uid, ownerReferences, finalizers, ...(!isReleased && { annotations }), content };
      }
    return found;
  }

  async moveOut(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.#users?.stop();
  }
}
