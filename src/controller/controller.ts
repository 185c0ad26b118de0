import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Canary, Provider } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';
import { type KubeObject, type Labels, type ObjectRef, refOf } from '../api/kube-object.ts';
import { finalizer, names } from '../api/names.ts';
import { parseCanary } from '../api/parse-canary.ts';
import { parseStatus } from '../api/parse-status.ts';
import type { Announcement } from '../engine/questions.ts';
import { type Clock, sleep } from '../kube/clock.ts';
import type { Cluster } from '../kube/cluster.ts';
import { eventRecorder } from '../kube/events.ts';
import type { KubeCluster } from '../kube/kube-cluster.ts';
import { parseLabelSelector } from '../kube/label-selector-text.ts';
import { findOffline } from '../metrics/find-offline.ts';
import type { AskCluster } from '../metrics/http/ask-cluster.ts';
import { measure } from '../metrics/measure.ts';
import type { MeasureDependencies } from '../metrics/measure-dependencies.ts';
import type { Notifier } from '../notifiers/notifier.ts';
import { routerFor } from '../routers/index.ts';
import type { ReadSecret } from '../webhooks/hook-secret.ts';
import { sendEvent } from '../webhooks/run-hooks.ts';
import { workloadFor } from '../workloads/index.ts';
import { admitSpec } from './admission.ts';
import { Anchors } from './anchors.ts';
import type { ShownCanary } from './canary-metrics.ts';
import { CanaryProcess } from './canary-process.ts';
import { CanaryRegister } from './canary-register.ts';
import { ClusterView } from './cluster-view.ts';
import type { ControllerConfig } from './config.ts';
import { ConfigWatches } from './config-watches.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import type { ControllerRoom, Log } from './controller-room.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { depart } from './departure.ts';
import { globalNotifier } from './global-notifier.ts';
import { outgoing } from './outgoing.ts';
import { ProviderConditions } from './provider-conditions.ts';
import { answeringOf, deliveringOf, validityOf } from './provider-findings.ts';
import { scalerRefs } from './scaling.ts';
import { alertSender } from './send-alert.ts';

export interface ControllerOptions {
  config: ControllerConfig;
  /** Without `ask` the metric backends that live in the cluster cannot be asked. */
  cluster: Cluster & Partial<Pick<KubeCluster, 'ask'>>;
  clock: Clock;
  log: Log;
  metrics: ControllerMetrics;
  notifier?: Notifier;
  /** What the global metrics server asks to see, as a Secret would hold it. */
  metricsServerSecret?: (() => Promise<Readonly<Record<string, string>> | undefined>) | undefined;
  /** Whether the lease allows a write now; always, without leader election. */
  mayWrite?: () => boolean;
}

export interface Controller {
  /** The view has been filled and Canaries are being looked after. */
  readonly started: Promise<void>;
  /** Watches that have been silent for too long. */
  staleWatches(limitMs: number): { kind: string; ageMs: number }[];
  /** Everything under way is cancelled, and nothing writes after it resolves. */
  stop(): Promise<void>;
}

const Targeted = z.object({ targetRef: z.object({ name: z.string() }) });
const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' } as const;
const TEMPLATE = { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate' } as const;
const DEPARTURE_RETRY_MS = 5_000;
/** Between two looks for Canaries that went while nobody looked, as long as the API server does not answer. */
const ORPHANS_RETRY_MS = { from: 1_000, to: 60_000 };
/** How long `revertOnDeletion` holds a Canary whose target does not become ready, in milliseconds. */
const LONGEST_HOLD_MS = 600_000;

/** Looks after every Canary: watches wake them, each in a process of its own. */
export function startController(options: ControllerOptions): Controller {
  const { config, cluster, clock, log, metrics } = options;
  /** Departures under way, by `namespace/name`, and the Canary that is gone. */
  const leaving = new Map<string, { last: Canary; under: AbortController }>();
  const processes = new Map<string, CanaryProcess>();
  const register = new CanaryRegister();
  /** Canaries that could not be read since they were first seen, by `namespace/name`. */
  const unreadable = new Map<string, KubeObject>();
  const slice = parseLabelSelector(config.canarySelector);
  const stopping = new AbortController();
  let isStarted = false;
  const recorder = eventRecorder(cluster, { component: 'serin', instance: 'serin' });
  const { ask } = cluster;
  const askCluster: AskCluster | undefined =
    ask && (({ method = 'GET', path, body }, signal) => ask(method, path, { ...(body && { body }), signal }));
  const view = new ClusterView(cluster, config.namespaces, onChange);
  const secret: ReadSecret = async (namespace, name) =>
    decoded(await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { signal: stopping.signal }));
  const mayWrite = () => !stopping.signal.aborted && (options.mayWrite?.() ?? true);
  const findWay = outgoing(config);
  /** To addresses of flags: whoever sets those decides himself. */
  const findOwnWay = outgoing({ ...config, allowedAddresses: [] });
  const conditions = new ProviderConditions({
    ...{ cluster, clock, log, mayWrite },
    // AlertProviders are read when they are sent to, and not watched.
    learn: (object) => object.kind === TEMPLATE.kind && view.learn(object),
  });
  const configured = options.notifier ?? globalNotifier(config);
  const global = configured && 'send' in configured ? configured : undefined;
  if (configured && 'problem' in configured) log.error({ problem: configured.problem }, 'no global alerts');
  const room: ControllerRoom = {
    config,
    clock,
    cluster,
    view,
    log,
    metrics: {
      ...metrics,
      phaseChanged: (canary, phase) => {
        metrics.phaseChanged(canary, phase, clock.nowMs());
        log.info({ canary: labelOf(canary), phase, weight: canary.status?.canaryWeight }, 'phase changed');
      },
    },
    configWatches: new ConfigWatches(cluster, clock, (follower) => processes.get(follower)?.wake()),
    anchors: new Anchors(cluster, config.historyLimit),
    deliveries: new DeliveryQueue({
      clock,
      log,
      sendAlert: alertSender({
        ...{ config, cluster, secret, global, findWay },
        told: (provider, outcome) => conditions.say(provider, deliveringOf(outcome)),
      }),
      mayWrite,
      eventWebhook: config.eventWebhook,
      ...{ findWay, findOwnWay },
      secret,
      record: (canary, event) => recorder.record(canary, event),
      onEnding: metrics.told,
      onDelivered: (uid, key) => processOf(uid)?.wake({ type: 'DELIVERED', key }),
    }),
    mayWrite,
    cookieWord: () => randomBytes(8).toString('hex'),
    ...{ secret, findWay },
    globalAlerts: global !== undefined,
    measure: (canary, provider, signal) => measureCanary(canary, provider, signal),
    findOffline: (canary, signal) => findOffline(canary, metricDependencies(signal)),
    announce,
    announceOn: (involved, announcement) => {
      metrics.told(involved, announcement.reason);
      void recorder.record(involved, announcement);
    },
    lookAfter: (canary, raw) => put(labelOf(canary), canary, raw),
    lastAccepted: (key) => register.lastSeen(key)?.raw,
    olderRival: (canary) => register.olderRival(labelOf(canary)),
  };

  function processOf(uid: string): CanaryProcess | undefined {
    return processes.get(register.keyOf(uid) ?? '');
  }

  function onChange(ref: ObjectRef): void {
    if (stopping.signal.aborted || !isStarted) return;
    if (ref.kind === 'Canary') {
      if (ref.name !== '') canaryChanged(ref);
      return;
    }
    if (ref.kind === 'MetricTemplate' && ref.name !== '') {
      lookAtTemplate(view.find(ref)?.object);
      return;
    }
    if (ref.name === '') {
      for (const process of processes.values()) process.wake();
      return;
    }
    for (const key of register.interestedIn(ref)) processes.get(key)?.wake();
  }

  function lookAtTemplate(template: KubeObject | undefined): void {
    if (template) conditions.say(template, validityOf(template));
  }

  function canaryChanged(ref: ObjectRef): void {
    const key = `${ref.namespace}/${ref.name}`;
    const raw = view.find(ref)?.object;
    const before = register.lastSeen(key);
    if (raw && !isInSlice(raw)) {
      // Somebody else's now, as it stands: nothing of it is given back.
      if (before) letGo(key, before.uid);
      return;
    }
    const unread = unreadable.get(key);
    if (unread && raw?.metadata.uid !== unread.metadata.uid) {
      unreadable.delete(key);
      if (!before) void leaveByAnchor(key, unread);
    }
    if (before && raw?.metadata.uid !== before.uid) {
      const rivals = register.rivalsOf(key);
      const last = readable(before.raw);
      if (last === undefined) void leaveByAnchor(key, before.raw);
      else if (!isInherited(last)) void leave(key, last);
      forget(key);
      // Whoever waited for this one's target goes on.
      for (const rival of rivals) processes.get(rival)?.wake();
    }
    if (!raw) {
      forget(key);
      return;
    }
    if (raw.metadata.deletionTimestamp !== undefined) {
      const last = before?.raw ?? unread;
      // Heard of again while it leaves, it is neither.
      unreadable.delete(key);
      if (last && raw.metadata.finalizers?.includes(finalizer)) lastLeaves(key, last, raw);
      return;
    }
    const canary = readable(raw);
    if (canary) unreadable.delete(key);
    else if (!before) unreadable.set(key, raw);
    if (canary && !isRefusedEdit(raw, before?.raw)) put(key, canary, raw);
    const shown = canary ?? shownAs(raw);
    if (shown) metrics.seen(shown, clock.nowMs());
    if (isNameLeft(key, raw)) return;
    let process = processes.get(key);
    if (!process) {
      process = new CanaryProcess(room, { namespace: ref.namespace ?? '', name: ref.name });
      processes.set(key, process);
      metrics.counted(ref.namespace ?? '', 1);
    }
    process.wake();
  }

  /** It is run by the spec before (E65): that one's objects are looked at, and given back when it goes. */
  function isRefusedEdit(raw: KubeObject, before: KubeObject | undefined): boolean {
    if (before === undefined || before.metadata.uid !== raw.metadata.uid) return false;
    if (before.metadata.generation === raw.metadata.generation) return false;
    return 'reason' in admitSpec(raw, room) && !('reason' in admitSpec(before, room));
  }

  /** What the last Canary of this name had made for another target is owned by an anchor of the same name: first that goes. */
  function isNameLeft(key: string, raw: KubeObject): boolean {
    const before = leaving.get(key)?.last;
    if (before === undefined || before.metadata.uid === raw.metadata.uid || isInherited(before)) return false;
    const { kind, name } = before.spec.targetRef;
    const message = `waits until ${kind} ${name}, which the last Canary of this name released, has its traffic back`;
    room.announceOn(raw, { reason: 'Blocked', type: 'Warning', message });
    return true;
  }

  /** By `--canary-selector`. Looked at here and not by the API server, to whom a Canary whose label goes is a Canary that is gone. */
  function isInSlice({ metadata }: { metadata: { labels?: Labels | undefined } }): boolean {
    return 'unreadable' in slice || slice.matches(metadata.labels ?? {});
  }

  function letGo(key: string, uid: string): void {
    register.remove(key);
    room.deliveries.stop(uid);
    room.anchors.forget(uid);
    forget(key);
  }

  function forget(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    metrics.gone({ namespace, name });
    const process = processes.get(key);
    if (process === undefined) return;
    void process.stop();
    processes.delete(key);
    metrics.counted(namespace, -1);
  }

  /** A Canary of this name on the same target lives, perhaps made again: it takes over what stands, and nothing is given back. */
  function isInherited({ metadata: { namespace, name }, spec }: Pick<Canary, 'metadata' | 'spec'>): boolean {
    const raw = view.find({ ...CANARY, namespace, name })?.object;
    if (raw === undefined || raw.metadata.deletionTimestamp !== undefined) return false;
    // Whatever else its spec says: a Canary that cannot be run is none that is gone.
    const { kind, name: target } = spec.targetRef;
    const ref: unknown = raw.spec?.targetRef;
    const isElsewhere =
      typeof ref === 'object' && ref !== null && 'name' in ref && 'kind' in ref && (ref.kind !== kind || ref.name !== target);
    return !isElsewhere;
  }

  function lastLeaves(key: string, last: KubeObject, held?: KubeObject): void {
    const canary = readable(last);
    if (canary) void leave(key, canary, held);
    else void leaveByAnchor(key, last, held);
  }

  /** Of a Canary that could not be read since the start, its anchor tells what it owned. */
  async function leaveByAnchor(key: string, last: KubeObject, held?: KubeObject): Promise<void> {
    const { name, namespace = '', uid = '' } = last.metadata;
    try {
      const spec = await room.anchors.originalSpec(last, stopping.signal);
      const metadata = { name, namespace, uid, generation: 0, resourceVersion: '' };
      const canary = spec && ({ apiVersion: CANARY.apiVersion, kind: 'Canary', metadata, spec } as const);
      if (canary && (held || !isInherited(canary))) await leave(key, canary, held);
      else if (!canary && held) await release(held);
    } catch (error) {
      if (stopping.signal.aborted) return;
      log.warn({ canary: key, err: error, retryInMs: DEPARTURE_RETRY_MS }, 'what the Canary owned cannot be told');
      clock.setTimer(DEPARTURE_RETRY_MS, () => void leaveByAnchor(key, last, held));
    }
  }

  /** The Canary is gone: its application goes back to the target, again and again until it has. */
  async function leave(key: string, canary: Canary, held?: KubeObject): Promise<void> {
    register.remove(key);
    room.deliveries.stop(canary.metadata.uid);
    room.anchors.forget(canary.metadata.uid);
    // One that still waits is about a Canary that was made again, and has gone again since: two at once would take it apart twice.
    leaving.get(key)?.under.abort(new Error('superseded'));
    const own = new AbortController();
    leaving.set(key, { last: canary, under: own });
    const process = processes.get(key);
    forget(key);
    await process?.stop();
    const signal = AbortSignal.any([stopping.signal, own.signal]);
    const beganAtMs = clock.monotonicMs();
    let isHeld = held !== undefined;
    const letGo = async (): Promise<void> => {
      if (held && isHeld) await release(held);
      isHeld = false;
    };
    const attempt = async (): Promise<void> => {
      if (signal.aborted || !room.mayWrite()) return;
      try {
        const { anchors } = room;
        await depart(canary, { cluster, view, config, clock, log, signal, anchors, isHeld, isInherited: () => isInherited(canary) });
        await letGo();
        if (leaving.get(key)?.under !== own) return;
        leaving.delete(key);
        // One of the same name may have waited for its anchor to go.
        onChange({ ...CANARY, name: canary.metadata.name, namespace: canary.metadata.namespace });
      } catch (error) {
        if (signal.aborted) return;
        // The anchor stays, and with it what is left to do: a Canary must not wait for ever for a target that never becomes ready.
        if (clock.monotonicMs() - beganAtMs >= LONGEST_HOLD_MS)
          await letGo().catch((err: unknown) => log.warn({ canary: key, err }, 'finalizer kept'));
        log.warn({ canary: key, err: error, retryInMs: DEPARTURE_RETRY_MS }, 'giving the application back failed');
        clock.setTimer(DEPARTURE_RETRY_MS, () => void attempt());
      }
    };
    await attempt();
  }

  /** The application is back on its target: the Canary with `revertOnDeletion` may go. */
  async function release(held: KubeObject): Promise<void> {
    const { signal } = stopping;
    // Its status may have been written since, by us or by another controller.
    const now = await cluster.get(refOf(held), { signal });
    if (now === undefined || now.metadata.uid !== held.metadata.uid) return;
    const finalizers = (now.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    await cluster.patch(refOf(now), { metadata: { finalizers, resourceVersion: now.metadata.resourceVersion } }, { signal });
  }

  function put(key: string, canary: Canary, raw: KubeObject): void {
    const { namespace } = canary.metadata;
    const own = names(canary);
    const service = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Service', name, namespace });
    const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
    const workload = workloadFor(canary.spec.targetRef);
    register.put(key, canary, raw, [
      ...('unsupported' in workload ? [] : workload.watches(canary)),
      service(own.apexService),
      service(own.primaryService),
      service(own.canaryService),
      ...('unsupported' in router ? [] : router.watches(canary)),
      ...scalerRefs(canary),
    ]);
  }

  function announce(canary: Canary, announcement: Announcement): void {
    metrics.told(canary, announcement.reason);
    void recorder.record(canary, announcement);
    log.info({ canary: labelOf(canary), reason: announcement.reason }, announcement.message);
    const { phase, release } = canary.status ?? { phase: '' as const };
    const { signal } = stopping;
    const event = { message: announcement.message, type: announcement.type, atMs: clock.nowMs() };
    sendEvent(canary, event, {
      phase,
      checksum: release?.revision ?? '',
      signal,
      secret,
      fallbackUrl: config.eventWebhook,
      findWay,
      findOwnWay,
    }).then(
      (refusals) => {
        for (const refusal of refusals)
          log.warn({ canary: labelOf(canary), webhook: refusal.webhook, reason: refusal.reason }, 'event webhook failed');
      },
      (error: unknown) => {
        if (!signal.aborted) log.warn({ canary: labelOf(canary), err: error }, 'event webhook failed');
      },
    );
  }

  async function measureCanary(canary: Canary, provider: Provider, signal: AbortSignal): Promise<Verdict[]> {
    const workload = workloadFor(canary.spec.targetRef);
    const target = 'unsupported' in workload ? undefined : view.find(workload.targetRef(canary));
    const verdicts = await measure(canary, {
      ...metricDependencies(signal),
      route: target && !('unsupported' in workload) ? workload.measuredAs?.(target.object) : undefined,
      provider,
      // What the primary does at the same time is shown beside it, so that a person can judge the judgement.
      baselines: true,
    });
    // One that was superseded meanwhile decides nothing.
    if (!signal.aborted) metrics.measured(canary, verdicts);
    return verdicts;
  }

  function metricDependencies(signal: AbortSignal): Omit<MeasureDependencies, 'provider'> {
    return {
      metricsServer: config.metricsServer,
      metricsServerSecret: options.metricsServerSecret,
      noForeignRefs: config.noCrossNamespaceRefs,
      template: async (namespace, name) => view.find({ ...TEMPLATE, namespace, name })?.object,
      templateAsked(ref, problem) {
        const template = view.find({ ...TEMPLATE, ...ref })?.object;
        if (template) conditions.say(template, answeringOf(problem));
      },
      secret: async (namespace, name) => decoded(await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { signal })),
      askCluster,
      ...{ findWay, findOwnWay },
      signal,
      nowMs: clock.nowMs(),
      timeoutMs: 10_000,
    };
  }

  /** Canaries that were deleted while nobody looked: known before anyone of the same name begins, so that a look that fails is made again. */
  async function orphans(): Promise<Canary[]> {
    const { signal } = stopping;
    for (let retryInMs = ORPHANS_RETRY_MS.from; ; retryInMs = Math.min(retryInMs * 2, ORPHANS_RETRY_MS.to)) {
      try {
        return await room.anchors.orphans(isInherited, config.namespaces, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        log.warn({ err: error, retryInMs }, 'the first look at the cluster failed');
        await sleep(clock, retryInMs, signal);
      }
    }
  }

  const watches = () => [...view.watches(), ...room.configWatches.watches()];

  async function start(): Promise<void> {
    metrics.leads({ watches, deliveries: () => room.deliveries.depth });
    await view.start();
    metrics.started(config.meshProvider);
    for (const orphan of await orphans()) if (isInSlice(orphan)) void leave(labelOf(orphan), orphan);
    // All are known before the first one is woken: the younger of two rivals must not start because it was listed first.
    for (const { object } of view.all(CANARY)) {
      const canary = isInSlice(object) ? readable(object) : undefined;
      if (canary) put(labelOf(canary), canary, object);
      else if (isInSlice(object)) unreadable.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
    }
    isStarted = true;
    for (const { object } of view.all(TEMPLATE)) lookAtTemplate(object);
    for (const { object } of view.all(CANARY))
      onChange({ ...CANARY, name: object.metadata.name, namespace: object.metadata.namespace ?? '' });
  }

  return {
    started: start(),
    staleWatches: (limitMs) => watches().filter(({ ageMs }) => ageMs > limitMs),
    async stop() {
      stopping.abort(new Error('stopping'));
      metrics.stopped();
      room.deliveries.stop();
      conditions.stop();
      const stopped = [...processes.values()].map((process) => process.stop());
      // Before they are waited for: one may itself be waiting for a first LIST, which an API server that is gone never answers.
      view.stop();
      await Promise.all(stopped);
      room.configWatches.stop();
    },
  };
}

const labelOf = (canary: Canary): string => `${canary.metadata.namespace}/${canary.metadata.name}`;

function readable(raw: KubeObject): Canary | undefined {
  const parsed = parseCanary(raw);
  return 'canary' in parsed ? parsed.canary : undefined;
}

/** What its metrics can be called by, though it cannot be run. */
function shownAs({ metadata, spec, status }: KubeObject): ShownCanary | undefined {
  const { data } = Targeted.safeParse(spec);
  const { namespace = '', name, uid = '' } = metadata;
  return data && { metadata: { namespace, name, uid }, spec: data, status: parseStatus(status) };
}

function decoded(secret: KubeObject | undefined): Record<string, string> | undefined {
  if (!secret) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString()]),
  );
}
