import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Canary } from '../api/canary.ts';
import type { KubeObject, Labels, ObjectRef } from '../api/kube-object.ts';
import { finalizer, names } from '../api/names.ts';
import type { Way } from '../api/outgoing.ts';
import { parseStatus } from '../api/parse-status.ts';
import { JournalMemory } from '../engine/journal/journal-memory.ts';
import type { Clock } from '../kube/clock.ts';
import type { Cluster } from '../kube/cluster.ts';
import { eventRecorder } from '../kube/events.ts';
import type { KubeCluster } from '../kube/kube-cluster.ts';
import { parseLabelSelector } from '../kube/label-selector-text.ts';
import { forUpkeep } from '../kube/upkeep.ts';
import { askerOf } from '../metrics/http/ask-cluster.ts';
import type { Notifier } from '../notifiers/notifier.ts';
import { routerFor } from '../routers/index.ts';
import { workloadFor } from '../workloads/index.ts';
import { admitSpec, refuse } from './admission/admission.ts';
import { editedTarget } from './admission/edited-target.ts';
import { suspected } from './admission/service-fit.ts';
import { Anchors } from './adoption/anchors.ts';
import { CanaryProcess } from './canary/canary-process.ts';
import { labelOf, readCanary } from './canary/read-canary.ts';
import type { ControllerConfig } from './config.ts';
import type { ControllerDeps, Log } from './controller-deps.ts';
import { Deletions, waitMessage } from './deletion/deletions.ts';
import { measuring } from './facts/measuring.ts';
import { scalerRefs } from './facts/scaling.ts';
import { announcer } from './notifications/announcer.ts';
import { DeliveryQueue } from './notifications/delivery-queue.ts';
import { globalNotifier } from './notifications/global-notifier.ts';
import { loggedEvents } from './notifications/logged-events.ts';
import { ProviderConditions } from './notifications/provider-conditions.ts';
import { deliveringOf, validityOf } from './notifications/provider-findings.ts';
import { alertSender } from './notifications/send-alert.ts';
import { egressPolicy, ownOutgoing } from './outgoing/outgoing.ts';
import { OutgoingCalls } from './outgoing/outgoing-calls.ts';
import { secretReader } from './outgoing/read-secret.ts';
import type { ShownCanary } from './telemetry/canary-metrics.ts';
import type { ControllerMetrics } from './telemetry/controller-metrics.ts';
import { CanaryRegister } from './watch/canary-register.ts';
import { ClusterView } from './watch/cluster-view.ts';
import { ConfigWatches } from './watch/config-watches.ts';
import { Turns } from './watch/turns.ts';

export interface ControllerOptions {
  config: ControllerConfig;
  /** Of Serin, for what it records. */
  version?: string;
  /** Names this process; random when absent. */
  identity?: string;
  /** Makes a text that no one guesses; default: of sixteen random hexadecimal digits. */
  word?: () => string;
  /** Where calls are not made by TCP. */
  agents?: Way['agent'] | undefined;
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

/** Looks after every Canary: watches wake them, each in a process of its own. */
export function startController(options: ControllerOptions): Controller {
  const { config, cluster, clock, log, metrics, agents, word = () => randomBytes(8).toString('hex') } = options;
  const processes = new Map<string, CanaryProcess>();
  const register = new CanaryRegister();
  /** Canaries that could not be read since they were first seen, by `namespace/name`. */
  const unreadable = new Map<string, KubeObject>();
  const slice = parseLabelSelector(config.canarySelector);
  const stopping = new AbortController();
  let isStarted = false;
  const recorder = loggedEvents(eventRecorder(cluster, { component: 'serin', instance: 'serin', clock, signal: stopping.signal }), log);
  const turns = new Turns(clock, (err) => log.warn({ err }, 'a change of the cluster could not be looked at'));
  const view = new ClusterView(cluster, config.namespaces, onChange, ({ kind, metadata: { namespace, name } }, err) =>
    log.warn({ kind, object: `${namespace}/${name}`, err }, 'an object cannot be read and counts as absent: correct or delete it'),
  );
  const secret = secretReader(cluster, config, stopping.signal);
  const isLeading = () => options.mayWrite?.() ?? true;
  const mayWrite = () => !stopping.signal.aborted && isLeading();
  const calls = new OutgoingCalls({
    ...{ clock, threads: config.threads },
    findWay: egressPolicy({ ...config, agents }),
    findOwnWay: ownOutgoing({ ...config, agents }),
  });
  const callsOf = calls.messagesOf;
  const timeCall = metrics.timeCall(clock);
  const conditions = new ProviderConditions({
    ...{ cluster: forUpkeep(cluster), clock, log, mayWrite },
    // AlertProviders are read when they are sent to, and not watched.
    learn: (object) => object.kind === TEMPLATE.kind && view.learn(object),
  });
  const configured = options.notifier ?? globalNotifier(config);
  const global = configured && 'send' in configured ? configured : undefined;
  if (configured && 'problem' in configured) log.error({ problem: configured.problem }, 'no global alerts');
  const deps: ControllerDeps = {
    config,
    version: options.version ?? 'unknown',
    writer: options.identity ?? word(),
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
    configWatches: new ConfigWatches(forUpkeep(cluster), clock, wakeInTurn),
    anchors: new Anchors(cluster, config.historyLimit, log),
    journalMemory: new JournalMemory(),
    deliveries: new DeliveryQueue({
      clock,
      log,
      sendAlert: alertSender({
        ...{ config, cluster, clock, secret, global, callsOf },
        told: (provider, outcome) => conditions.report(provider, deliveringOf(outcome)),
      }),
      mayWrite,
      eventWebhook: config.eventWebhook,
      ...{ callsOf, timeCall },
      secret,
      record: (canary, event) => recorder.record(canary, event),
      onEnding: metrics.told,
      onDelivered: (uid, key) => processOf(uid)?.wake({ type: 'DELIVERED', key }),
    }),
    mayWrite,
    isLeading,
    cookieWord: word,
    ...{ secret, callsOf, timeCall },
    gatesOf: calls.gatesOf,
    globalAlerts: global !== undefined,
    ...measuring({
      ...{ config, cluster, view, clock, metrics, conditions, askCluster: askerOf(cluster) },
      callsOf: calls.queriesOf,
      metricsServerSecret: options.metricsServerSecret,
    }),
    ...announcer({
      ...{ metrics, recorder, log, clock, secret, callsOf, timeCall },
      eventWebhook: config.eventWebhook,
      signal: stopping.signal,
    }),
    track: (canary, raw) => put(labelOf(canary), canary, raw),
    lastAccepted: (key) => register.lastSeen(key)?.raw,
    olderRival: (canary) => register.olderRival(labelOf(canary)),
  };

  const deletions = new Deletions(deps, stopping.signal, {
    stopCanary: async (key) => {
      const process = processes.get(key);
      register.remove(key);
      forget(key);
      await process?.stop();
    },
    waitChanged: onChange,
  });

  function processOf(uid: string): CanaryProcess | undefined {
    return processes.get(register.keyOf(uid) ?? '');
  }

  function onChange(ref: ObjectRef): void {
    if (stopping.signal.aborted || !isStarted) return;
    const { kind, namespace = '', name } = ref;
    if (kind === 'Canary') {
      if (name !== '') turns.add(namespace, `Canary ${namespace}/${name}`, () => canaryChanged(ref));
      return;
    }
    if (kind === 'MetricTemplate' && name !== '') {
      turns.add(namespace, `MetricTemplate ${namespace}/${name}`, () => lookAtTemplate(view.find(ref)?.object));
      return;
    }
    for (const key of name === '' ? processes.keys() : register.interestedIn(ref)) wakeInTurn(key);
  }

  function wakeInTurn(key: string): void {
    turns.add(key.slice(0, key.indexOf('/')), key, () => processes.get(key)?.wake());
  }

  function lookAtTemplate(template: KubeObject | undefined): void {
    if (template) conditions.report(template, validityOf(template));
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
      if (!before && !deletions.hasOnlyWaited(key, unread)) void deletions.restoreByAnchor(key, unread);
    }
    if (before && raw?.metadata.uid !== before.uid) {
      const rivals = register.rivalsOf(key);
      const last = readCanary(before.raw);
      if (deletions.hasOnlyWaited(key, before.raw)) register.remove(key);
      else if (last === undefined) void deletions.restoreByAnchor(key, before.raw);
      else if (!deletions.isInherited(last)) void deletions.restore(key, last);
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
      if (last && raw.metadata.finalizers?.includes(finalizer)) deletions.begin(key, last, raw);
      return;
    }
    const canary = readCanary(raw);
    if (canary) unreadable.delete(key);
    else if (!before) unreadable.set(key, raw);
    if (canary && !isRefusedEdit(raw, before?.raw)) put(key, canary, raw);
    const shown = canary ?? shownAs(raw);
    if (shown) metrics.seen(shown, clock.nowMs());
    if (isNameLeft(key, raw)) return;
    let process = processes.get(key);
    if (!process) {
      process = new CanaryProcess(deps, { namespace: ref.namespace ?? '', name: ref.name });
      processes.set(key, process);
      metrics.counted(ref.namespace ?? '', 1);
    }
    process.wake();
  }

  /** It is run by the spec before (E65): that one's objects are looked at, and given back when it goes. */
  function isRefusedEdit(raw: KubeObject, before: KubeObject | undefined): boolean {
    if (before === undefined || before.metadata.uid !== raw.metadata.uid) return false;
    if (before.metadata.generation === raw.metadata.generation) return false;
    const [was, now] = [admitSpec(before, deps), admitSpec(raw, deps)];
    if ('reason' in was) return false;
    return 'reason' in now || suspected(now, view) !== undefined || editedTarget(now, was.canary.spec, view) !== undefined;
  }

  /** The application of the last Canary of this name is given back first, or uninstalled: the new one starts like any other then. */
  function isNameLeft(key: string, raw: KubeObject): boolean {
    const deletion = deletions.underWay(key);
    if (deletion === undefined || deletion.last.metadata.uid === raw.metadata.uid || deletions.isInherited(deletion.last)) return false;
    const refusal = { reason: 'Blocked', message: waitMessage(deletion) } as const;
    refuse(raw, refusal, deps, stopping.signal).catch((err: unknown) => {
      if (!stopping.signal.aborted) log.warn({ canary: key, err }, 'status not written');
    });
    return true;
  }

  /** By `--canary-selector`. Looked at here and not by the API server, to whom a Canary whose label goes is a Canary that is gone. */
  function isInSlice({ metadata }: { metadata: { labels?: Labels | undefined } }): boolean {
    return 'unreadable' in slice || slice.matches(metadata.labels ?? {});
  }

  function letGo(key: string, uid: string): void {
    register.remove(key);
    const [namespace = ''] = key.split('/');
    deps.deliveries.stop({ metadata: { namespace, uid } });
    deps.anchors.forget({ metadata: { namespace, uid } });
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

  const watches = () => [...view.watches(), ...deps.configWatches.watches()];

  async function start(): Promise<void> {
    metrics.leads({ watches, deliveries: () => deps.deliveries.depth, calls: () => calls.figures() });
    await view.start();
    metrics.started(config.meshProvider);
    deletions.restoreAll((await deletions.orphans()).filter(isInSlice));
    // All are known before the first one is woken: the younger of two rivals must not start because it was listed first.
    for (const { object } of view.all(CANARY)) {
      const canary = isInSlice(object) ? readCanary(object) : undefined;
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
      turns.stop();
      deps.deliveries.stop();
      conditions.stop();
      const stopped = [...processes.values()].map((process) => process.stop());
      // Before they are waited for: one may itself be waiting for a first LIST, which an API server that is gone never answers.
      view.stop();
      await Promise.all(stopped);
      deps.configWatches.stop();
    },
  };
}

/** What its metrics can be called by, though it cannot be run. */
function shownAs({ metadata, spec, status }: KubeObject): ShownCanary | undefined {
  const { data } = Targeted.safeParse(spec);
  const { namespace = '', name, uid = '' } = metadata;
  return data && { metadata: { namespace, name, uid }, spec: data, status: parseStatus(status) };
}
