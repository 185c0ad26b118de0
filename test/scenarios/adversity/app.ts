import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { eventually } from '../eventually.ts';
import { istio } from '../providers/istio.ts';
import type { AppName, ProviderFixture } from '../providers/provider-fixture.ts';
import { ask } from '../users.ts';
import type { Lab } from './lab.ts';

export type Provider = 'istio' | 'smi:v1alpha2' | 'kubernetes';

/** One application of version 1 with the Service that its users call already, before Serin takes over. */
export class App {
  readonly name: string;
  readonly #lab: Lab;
  readonly #fixture: ProviderFixture;

  /** `fixture`: the provider that its users come in by. */
  constructor(lab: Lab, name: string, fixture: ProviderFixture = istio) {
    this.#lab = lab;
    this.name = name;
    this.#fixture = fixture;
  }

  get host(): string {
    return this.#fixture.host(this.#app);
  }

  get #app(): AppName {
    return { name: this.name, namespace: this.#lab.namespace };
  }

  ref(apiVersion: string, kind: string, name = this.name): ObjectRef {
    return { apiVersion, kind, name, namespace: this.#lab.namespace };
  }

  get canary(): ObjectRef {
    return this.ref('flagger.app/v1beta1', 'Canary');
  }

  get target(): ObjectRef {
    return this.ref('apps/v1', 'Deployment');
  }

  get primary(): ObjectRef {
    return this.ref('apps/v1', 'Deployment', `${this.name}-primary`);
  }

  get route(): ObjectRef {
    return this.#fixture.route(this.#app);
  }

  get service(): ObjectRef {
    return this.ref('v1', 'Service');
  }

  async create(podSpec: Record<string, unknown> = {}): Promise<void> {
    const { cluster, environment } = this.#lab;
    const labels = { app: this.name };
    const metadata = { name: this.name, namespace: this.#lab.namespace };
    const container = { name: 'web', image: `${this.name}:1`, ports: [{ name: 'http', containerPort: 9898 }] };
    const template = { metadata: { labels }, spec: { containers: [container], ...podSpec } };
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    await cluster.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec });
    const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
    await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports } });
    for (const object of this.#fixture.objects?.(this.#app) ?? []) await cluster.create(object);
    for (const url of environment.mesh.urls) {
      await eventually(
        `${this.host} serves at ${url}`,
        async () => (await ask(url, this.host)).status,
        (status) => status === 200,
      );
    }
    await this.#lab.until(this.target, 'is available', (now) => raw(now)?.status?.availableReplicas === 3);
  }

  async createCanary(provider: ProviderFixture['provider'], analysis: Record<string, unknown>): Promise<void> {
    await this.#lab.cluster.create({
      apiVersion: 'flagger.app/v1beta1',
      kind: 'Canary',
      metadata: { name: this.name, namespace: this.#lab.namespace },
      spec: {
        provider,
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: this.name },
        ...this.#fixture.spec?.(this.#app),
        service: { port: 80, targetPort: 'http', ...this.#fixture.service?.(this.#app) },
        progressDeadlineSeconds: 600,
        analysis,
      },
    });
  }

  async deploy(version: string, env: Record<string, string> = {}): Promise<void> {
    const current = await this.#lab.cluster.get(this.target);
    const [old] = raw(current)?.spec.template.spec.containers ?? [];
    const container = { ...old, image: `${this.name}:${version}`, env: Object.entries(env).map(([name, value]) => ({ name, value })) };
    await this.#lab.cluster.patch(this.target, { spec: { template: { spec: { containers: [container] } } } });
  }

  /** An edit of the VirtualService with kubectl. */
  async routeByHand(http: unknown): Promise<void> {
    const { apiVersion, kind, name } = this.route;
    const metadata = { name, namespace: this.#lab.namespace };
    await this.#lab.cluster.apply({ apiVersion, kind, metadata, spec: { http } }, { fieldManager: 'kubectl', force: true });
  }

  async version(ref: ObjectRef): Promise<string> {
    const found = await this.#lab.cluster.get(ref);
    return imageTag(found);
  }

  async becomesIdle(...phases: readonly string[]): Promise<string> {
    const found = await this.#lab.until(this.canary, `is idle as ${phases.join(' or ')}`, (now) => isResting(now, phases));
    return raw(found)?.status.phase;
  }

  /** Waits for the verdict on a revision that was deployed after run number `run`. */
  async ends(run: number): Promise<string> {
    const found = await this.#lab.until(
      this.canary,
      'ends its release',
      (now) => raw(now)?.status?.release?.run > run && isResting(now, ['Succeeded', 'Failed']),
    );
    return raw(found)?.status.phase;
  }

  async run(): Promise<number> {
    return raw(await this.#lab.cluster.get(this.canary))?.status?.release?.run ?? 0;
  }
}

export function imageTag(deployment: KubeObject | undefined): string {
  return String(raw(deployment)?.spec.template.spec.containers[0]?.image ?? '').split(':')[1] ?? '';
}

function isResting(now: KubeObject | undefined, phases: readonly string[]): boolean {
  return phases.includes(raw(now)?.status?.phase) && raw(now)?.status?.release?.step === 'resting';
}
