import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { raw } from '../../fakes/raw.ts';
import type { ControllerProcess } from '../../scenarios/controller.ts';
import type { Environment } from '../../scenarios/environment.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { aCanary, aDeployment, canaryRef, push } from '../../scenarios/troubles/objects.ts';
import type { CanaryReport, ReportWatch } from '../../scenarios/troubles/report-watch.ts';
import type { Listener } from './listener.ts';

/** Shared resources of all tenants of a class. */
export interface Field {
  readonly environment: Environment;
  /** With the hostile tenant's rights, which are all in its own namespace. */
  readonly client: KubeCluster;
  readonly namespace: string;
  /** The neighbour's. */
  readonly neighbour: string;
  /** The controller's. */
  readonly home: string;
  readonly reports: ReportWatch;
  readonly controller: ControllerProcess;
  /** Port of `/metrics` and `/readyz`. */
  readonly controllerPort: number;
  /** The hostile tenant's own server, which the operator allows. */
  readonly own: Listener;
  /** A server that the operator does not allow. Without a list of allowed addresses, its answers are concealed. */
  readonly internal: Listener;
  /** Word of the inner server that must stay there. */
  readonly inside: string;
  /** The operator's and the neighbour's server. */
  readonly operator: Listener;
  /** Run when the class is over. */
  readonly stops: (() => unknown)[];
}

export const KUBE = 'flagger.app/v1beta1';
const PLAIN = { interval: '1s', threshold: 2, stepWeight: 50, maxWeight: 50 };

/** The hostile tenant in one of its attacks: its objects are called by the attack. */
export class Tenant {
  readonly name: string;
  readonly field: Field;
  /** Answers of the API server that refused something. */
  readonly refusals: string[] = [];

  constructor(field: Field, id: string) {
    this.field = field;
    this.name = id.toLowerCase();
  }

  get namespace(): string {
    return this.field.namespace;
  }

  /** Creates what the API server takes; returns what it stored. */
  async make(...objects: KubeObject[]): Promise<KubeObject[]> {
    const made: KubeObject[] = [];
    for (const object of objects) {
      const stored = await this.attempt(() => this.field.client.create(object));
      if (stored) made.push(stored);
    }
    return made;
  }

  /** A request whose refusal is an answer. */
  async attempt<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.refusals.push(error.message);
      return undefined;
    }
  }

  edit(ref: ObjectRef, patch: Record<string, unknown>, options: { subresource?: 'status' | 'scale' } = {}) {
    return this.attempt(() => this.field.client.patch(ref, patch, options));
  }

  /** A Deployment and its Canary. */
  async app(analysis: object = {}, spec: object = {}, env: Record<string, string> = {}): Promise<void> {
    await this.make(aDeployment(this.namespace, this.name, env));
    await this.make(this.canary(analysis, spec));
  }

  canary(analysis: object = {}, spec: object = {}): KubeObject {
    const whole = aCanary(this.namespace, this.name, { ...PLAIN, ...analysis }, { provider: 'kubernetes', ...spec });
    if ((spec as { provider?: string }).provider === undefined && !('iterations' in analysis)) {
      // Without a mesh a release is Blue/Green.
      const { stepWeight: _, maxWeight: __, ...others } = raw(whole).spec.analysis;
      raw(whole).spec.analysis = { ...others, iterations: 2 };
    }
    return whole;
  }

  /** The same, and a second version as soon as the first one runs. */
  async release(analysis: object = {}, spec: object = {}, env: Record<string, string> = {}): Promise<void> {
    await this.app(analysis, spec, env);
    await this.isReady();
    await this.push('2', env);
  }

  /** The Canary waits for its first release, or was refused. */
  async isReady(): Promise<void> {
    if (this.refusals.length > 0) return;
    const isBlocked = (event: string) => ['Blocked', 'ConfigUnavailable'].some((reason) => event.startsWith(reason));
    const isSettled = ({ phase, conditions, events }: CanaryReport) =>
      phase === 'Initialized' || conditions.some(({ type, status }) => type !== 'Promoted' && status !== 'True') || events.some(isBlocked);
    await this.field.reports.until(this.namespace, this.name, 'a start or a refusal', isSettled);
  }

  push(version: string, env: Record<string, string> = {}): Promise<unknown> {
    return this.attempt(() => push(this.field.client, this.namespace, this.name, version, env));
  }

  /** With a metric of this template, which the tenant's own server answers with 1 unless it says else. */
  async measured(template: object, metric: object = {}, spec: object = {}): Promise<void> {
    await this.make(this.template(template));
    await this.release({ metrics: [{ name: 'm', templateRef: { name: this.name }, thresholdRange: { min: 0 }, ...metric }] }, spec);
  }

  /** The same without a release: a template that cannot work is named before. */
  async checked(template: object, metric: object = {}): Promise<void> {
    await this.make(this.template(template));
    await this.app({ metrics: [{ name: 'm', templateRef: { name: this.name }, thresholdRange: { min: 0 }, ...metric }] });
  }

  template(spec: object): KubeObject {
    const { provider = {}, ...others } = spec as { provider?: object };
    return {
      apiVersion: KUBE,
      kind: 'MetricTemplate',
      metadata: { name: this.name, namespace: this.namespace },
      spec: { provider: { type: 'prometheus', address: this.field.own.url(`/${this.name}`), ...provider }, query: 'up', ...others },
    };
  }

  /** With a webhook, the tenant's own unless it says else. */
  hooked(hook: object = {}, spec: object = {}): Promise<void> {
    return this.release({ webhooks: [this.hook(hook)] }, spec);
  }

  hook(over: object = {}): object {
    return { name: 'h', type: 'rollout', url: this.field.own.url(`/${this.name}`), timeout: '2s', ...over };
  }

  /** With an AlertProvider, the tenant's own unless it says else. */
  async alerted(spec: object, analysis: object = {}): Promise<void> {
    await this.make({
      apiVersion: KUBE,
      kind: 'AlertProvider',
      metadata: { name: this.name, namespace: this.namespace },
      spec: { type: 'slack', address: this.field.own.url(`/${this.name}`), channel: 'general', ...spec },
    });
    await this.release({ alerts: [{ name: 'a', severity: 'info', providerRef: { name: this.name } }], ...analysis });
  }

  secret(data: Record<string, string>, labels: Record<string, string> = {}, type = 'Opaque', name = this.name): KubeObject {
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      type,
      metadata: { name, namespace: this.namespace, labels },
      stringData: data,
      data: base64(data),
    };
  }

  ref(kind: string, name = this.name, apiVersion = apiVersionOf(kind)): ObjectRef {
    return { apiVersion, kind, name, namespace: this.namespace };
  }

  get canaryRef(): ObjectRef {
    return canaryRef(this.namespace, this.name);
  }

  says(): CanaryReport {
    return this.field.reports.of(this.namespace, this.name);
  }

  /** Conditions, events and refusals in one text. */
  words(): string {
    const { conditions, events } = this.says();
    return [
      ...conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`),
      ...events,
      ...this.refusals,
    ].join('\n');
  }

  until(what: string, isSo: (report: CanaryReport) => boolean): Promise<CanaryReport> {
    return this.field.reports.until(this.namespace, this.name, what, isSo);
  }

  /** Its release has ended, well or not. */
  ends(): Promise<CanaryReport> {
    return this.until('an end', ({ phase }) => phase === 'Succeeded' || phase === 'Failed');
  }

  /** Serin has called the tenant's server for this attack. */
  called(): Promise<unknown> {
    return eventually(`${this.name} is called`, () => this.field.own.received(`/${this.name}`).length > 0);
  }
}

const base64 = (data: Record<string, string>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

function apiVersionOf(kind: string): string {
  if (kind === 'Deployment' || kind === 'ControllerRevision') return 'apps/v1';
  if (kind === 'VirtualService') return 'networking.istio.io/v1beta1';
  return ['Canary', 'MetricTemplate', 'AlertProvider'].includes(kind) ? KUBE : 'v1';
}
