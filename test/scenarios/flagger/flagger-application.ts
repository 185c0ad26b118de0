import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import type { Phase } from '../../../src/api/phase.ts';
import { isConflict } from '../../../src/kube/errors.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import type { Environment } from '../environment.ts';
import { eventually } from '../eventually.ts';
import { until } from '../until.ts';
import { ask } from '../users.ts';
import { nowMs, sleep } from '../world.ts';
import * as objects from './objects.ts';

export const NAME = 'shop';
const PLURALS: Record<string, string> = {
  Deployment: 'deployments',
  Service: 'services',
  VirtualService: 'virtualservices',
  DestinationRule: 'destinationrules',
  TrafficSplit: 'trafficsplits',
  Canary: 'canaries',
  ConfigMap: 'configmaps',
  HorizontalPodAutoscaler: 'horizontalpodautoscalers',
  ScaledObject: 'scaledobjects',
};

/** The state in which Flagger has left one Canary. */
export interface Left {
  phase: Phase;
  /** Version that the target's template is of; its primary is of version 1 unless it was promoted. */
  version?: string;
  promoted?: boolean;
  /** Pods of the target. */
  replicas?: number;
  /** Rules of the route, absent if no routing object exists. */
  http?: object[];
  split?: number;
  /** The apex still selects the target. */
  isApexOnTarget?: boolean;
  status?: Record<string, unknown>;
  analysis: Record<string, unknown>;
  spec?: Record<string, unknown>;
  /** Laid over the pod spec of every version that it has seen. */
  pods?: Record<string, unknown>;
  /** ConfigMaps that the pods read. */
  configs?: Record<string, Record<string, string>>;
  /** Kind of the user's scaler; the primary also has one. A ScaledObject is paused while its target is at zero. */
  scaler?: objects.ScalerKind;
  /** More ports of its Services, as port discovery finds them. */
  ports?: object[];
}

/**
 * An application in a namespace of its own that Flagger has been running: its objects made and updated by POST and PUT
 * under its field manager, its status with hashes that no other program can compute, and no controller for it.
 */
export class FlaggerApplication {
  readonly namespace: string;
  readonly #environment: Environment;

  constructor(environment: Environment, namespace: string) {
    this.#environment = environment;
    this.namespace = namespace;
  }

  ref(apiVersion: string, kind: string, name = NAME): ObjectRef {
    return { apiVersion, kind, name, namespace: this.namespace };
  }

  get canary(): ObjectRef {
    return this.ref('flagger.app/v1beta1', 'Canary');
  }
  get target(): ObjectRef {
    return this.ref('apps/v1', 'Deployment');
  }
  get primary(): ObjectRef {
    return this.ref('apps/v1', 'Deployment', `${NAME}-primary`);
  }
  get host(): string {
    return `${NAME}.${this.namespace}`;
  }

  get(ref: ObjectRef): Promise<KubeObject | undefined> {
    return this.#environment.cluster.get(ref);
  }

  until(ref: ObjectRef, what: string, isSo: (now: KubeObject | undefined) => boolean | undefined, hint?: () => string) {
    return until(this.#environment.cluster, ref, what, isSo, hint ? { hint } : {});
  }

  /** A user's push with kubectl. */
  async push(version: string, more: Record<string, unknown> = {}): Promise<void> {
    await this.#send('PATCH', this.target, { spec: { template: { spec: templateOf(version, more).spec } } }, 'kubectl');
  }

  /** An edit of an object with `kubectl edit`. */
  async edits(ref: ObjectRef, patch: object): Promise<void> {
    await this.#send('PATCH', ref, patch, 'kubectl-edit');
  }

  /** `kubectl rollout restart`, until no pod of before is left. */
  async restarts(ref: ObjectRef): Promise<void> {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-03-01T10:00:00Z' };
    await this.edits(ref, { spec: { template: { metadata: { annotations } } } });
    const isDone = (now: KubeObject | undefined) =>
      now !== undefined &&
      raw(now).status?.observedGeneration === now.metadata.generation &&
      raw(now).status.updatedReplicas === raw(now).spec.replicas &&
      raw(now).status.replicas === raw(now).spec.replicas &&
      raw(now).status.availableReplicas === raw(now).spec.replicas &&
      !raw(now).status.terminatingReplicas;
    await this.until(ref, 'has rolled', isDone);
  }

  /** A user's push that drops existing fields. */
  async replaceTemplate(template: KubeObject['spec']): Promise<void> {
    const found = await this.get(this.target);
    if (!found) throw new Error('the target was not found');
    const { resourceVersion: _, ...metadata } = found.metadata;
    await this.#send('PUT', this.target, { ...found, metadata, spec: { ...raw(found).spec, template } }, 'kubectl');
  }

  async stands(left: Left): Promise<void> {
    const { cluster } = this.#environment;
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } });
    const { version = '1', promoted = false, replicas = 0, http, split } = left;
    await this.#post(this.#deployment(promoted || version === '1' ? version : '1', Math.max(2, replicas), left.pods), 'kubectl');
    const canary = await this.#post(this.#canary(left), 'kubectl');
    const { apiVersion, kind } = canary;
    const owner = { apiVersion, kind, name: NAME, uid: canary.metadata.uid ?? '', controller: true, blockOwnerDeletion: true };
    const place = { name: NAME, namespace: this.namespace, owner };
    for (const [name, data] of Object.entries(left.configs ?? {})) {
      await this.#post({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: this.namespace }, data }, 'kubectl');
      await this.#post(objects.configCopy(place, name, data));
    }
    if (left.isApexOnTarget) {
      const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
      await this.#post(
        {
          ...objects.service(place, 'apex'),
          metadata: { name: NAME, namespace: this.namespace },
          spec: { selector: { app: NAME }, ports },
        },
        'kubectl',
      );
    } else await this.#post(objects.service(place, 'apex', left.ports));
    for (const role of ['canary', 'primary'] as const) await this.#post(objects.service(place, role, left.ports));
    await this.#post(objects.primaryDeployment(place, templateOf(promoted ? version : '1', left.pods), promoted));
    await this.until(this.primary, 'is up', isUp(2));
    if (left.scaler) await this.#scale(place, left.scaler, replicas === 0);
    if (http) {
      for (const role of ['canary', 'primary'] as const) await this.#post(objects.destinationRule(place, role));
      // Made at 100/0, and changed by PUT, as a release does it.
      const made = await this.#post(objects.virtualService(place, objects.weighted(NAME, 0)));
      await this.#put({ ...made, spec: { ...raw(made).spec, http } });
    }
    if (split !== undefined) {
      const made = await this.#post(objects.trafficSplit(place, 0));
      await this.#put({ ...made, spec: objects.trafficSplit(place, split).spec });
    }
    if (!promoted && version !== '1') await this.push(version);
    await this.#send('PATCH', this.target, { spec: { replicas } });
    await this.until(this.target, `has ${replicas} pods`, isUp(replicas));
    // A template and a status of the same second: their order would be unknown, and it would count as a push.
    await this.nextSecond();
    await this.writesStatus(left.phase, { canaryWeight: split ?? weightIn(http), ...left.status });
    for (const url of this.#environment.mesh.urls) await this.#untilAnswers(url);
  }

  /** The whole status by PUT, without what it does not know. */
  async writesStatus(phase: Phase, more: Record<string, unknown> = {}): Promise<KubeObject | undefined> {
    const now = `${new Date(nowMs()).toISOString().slice(0, 19)}Z`;
    const isTrue = phase === 'Initialized' || phase === 'Succeeded';
    const condition = {
      type: 'Promoted',
      status: isTrue ? 'True' : phase === 'Failed' ? 'False' : 'Unknown',
      reason: phase,
      message: 'as it says',
    };
    const found = await this.get(this.canary);
    if (!found) return undefined;
    const status = {
      phase,
      failedChecks: 0,
      canaryWeight: 0,
      iterations: 0,
      trackedConfigs: {},
      lastAppliedSpec: '5f8fd4f546',
      lastPromotedSpec: phase === 'Initialized' || phase === 'Succeeded' ? '5f8fd4f546' : '65bb57b6b5',
      lastTransitionTime: now,
      conditions: [{ ...condition, lastUpdateTime: now, lastTransitionTime: now }],
      ...more,
    };
    return this.#send('PUT', this.canary, { ...found, status }, 'flagger', '/status');
  }

  /** Writes the same status once more, as a controller that still runs: other writers' fields are lost. Returns its version. */
  async rewritesStatus(phase: Phase): Promise<string> {
    for (;;) {
      try {
        const { metadata } = (await this.writesStatus(phase)) ?? {};
        return metadata?.resourceVersion ?? '';
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  /** Until the clock of statuses, which have whole seconds, has moved. */
  async nextSecond(): Promise<void> {
    await sleep(1_000 - (nowMs() % 1_000));
  }

  async #scale(place: objects.Place, kind: objects.ScalerKind, isPaused: boolean): Promise<void> {
    const own = await this.#post(objects.userScaler(place, kind), 'kubectl');
    await this.#post(objects.primaryScaler(place, kind));
    if (kind !== 'ScaledObject' || !isPaused) return;
    const annotations = { ...own.metadata.annotations, 'autoscaling.keda.sh/paused-replicas': '0' };
    await this.#put({ ...own, metadata: { ...own.metadata, annotations } });
  }

  #deployment(version: string, replicas: number, pods: Record<string, unknown> = {}): KubeObject {
    const metadata = { name: NAME, namespace: this.namespace, labels: { team: 'shop' }, annotations: { contact: 'shop@example.test' } };
    const spec = { replicas, selector: { matchLabels: { app: NAME } }, template: templateOf(version, pods) };
    return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
  }

  #canary({ analysis, spec = {}, scaler }: Left): KubeObject {
    const autoscalerRef = scaler && { apiVersion: objects.scalers[scaler].apiVersion, kind: scaler, name: NAME };
    return {
      apiVersion: 'flagger.app/v1beta1',
      kind: 'Canary',
      metadata: {
        name: NAME,
        namespace: this.namespace,
        ...(spec.revertOnDeletion === true ? { finalizers: ['finalizer.flagger.app'] } : {}),
      },
      spec: {
        provider: 'istio',
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: NAME },
        service: { port: 80, targetPort: 'http' },
        progressDeadlineSeconds: 600,
        ...(autoscalerRef && { autoscalerRef }),
        ...spec,
        analysis: { interval: '1s', threshold: 5, ...analysis },
      },
    };
  }

  #post(object: KubeObject, manager = 'flagger'): Promise<KubeObject> {
    return this.#send('POST', { ...this.ref(object.apiVersion, object.kind), name: '' }, object, manager);
  }

  #put(object: KubeObject): Promise<KubeObject> {
    return this.#send('PUT', this.ref(object.apiVersion, object.kind, object.metadata.name), object);
  }

  async #send(
    method: string,
    { apiVersion, kind, name }: ObjectRef,
    body: object,
    manager = 'flagger',
    subresource = '',
  ): Promise<KubeObject> {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const one = name === '' ? '' : `/${name}${subresource}`;
    const path = `${root}/namespaces/${this.namespace}/${PLURALS[kind] ?? kind}${one}?fieldManager=${manager}`;
    if (method !== 'PATCH') return (await this.#environment.cluster.raw(method, path, body)) as KubeObject;
    const ref = { apiVersion, kind, name, namespace: this.namespace };
    const found = await this.#environment.cluster.get(ref);
    if (!found) throw new Error(`${kind} ${name} is not there`);
    return (await this.#environment.cluster.raw('PUT', path, merged(withoutVersion(found), body))) as KubeObject;
  }

  async #untilAnswers(url: string): Promise<void> {
    await eventually(
      `${this.host} serves at ${url}`,
      async () => (await ask(url, this.host)).status,
      (status) => status === 200,
    );
  }
}

/** Tries again when a status of the Deployment was written meanwhile. */
function withoutVersion({ metadata: { resourceVersion: _, ...metadata }, ...object }: KubeObject): object {
  return { ...object, metadata };
}

export function templateOf(version: string, more: Record<string, unknown> = {}): Raw {
  const container = { name: 'web', image: `${NAME}:${version}`, ports: [{ name: 'http', containerPort: 9898 }] };
  // A term that Flagger rewrites in another way than Serin does.
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: NAME } },
    },
  ];
  return { metadata: { labels: { app: NAME } }, spec: { containers: [container], topologySpreadConstraints, ...more } };
}

const isUp = (replicas: number) => (now: KubeObject | undefined) => {
  const { observedGeneration, replicas: all = 0, updatedReplicas = 0, availableReplicas = 0 } = raw(now)?.status ?? {};
  const isSeen = observedGeneration === now?.metadata.generation;
  return isSeen && [all, updatedReplicas, availableReplicas].every((count) => count === replicas);
};

function weightIn(http: object[] | undefined): number {
  const rule = http?.at(-1) as { route?: { weight?: number }[] } | undefined;
  return rule?.route?.[1]?.weight ?? 0;
}

function merged<T>(into: T, patch: unknown): T {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch as T;
  const base = (typeof into === 'object' && into !== null ? into : {}) as Record<string, unknown>;
  const changed = Object.entries(patch).map(([key, value]) => [key, merged(base[key], value)]);
  return { ...base, ...Object.fromEntries(changed) } as T;
}
