import type { Canary } from '../api/canary.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { labelOf } from '../api/kube-object.ts';
import { JournalMemory } from '../engine/journal/journal-memory.ts';
import type { Cluster, KindRef } from '../kube/cluster.ts';
import { eventRecorder } from '../kube/events.ts';
import { withPriority } from '../kube/with-priority.ts';
import { askerOf } from '../metrics/http/ask-cluster.ts';
import { addressPolicy } from '../outgoing/address-policy.ts';
import { egressPolicy } from '../outgoing/egress-policy.ts';
import { ownEgress } from '../outgoing/own-egress.ts';
import { Anchors } from './adoption/anchors.ts';
import { SecretSalts } from './adoption/secret-salts.ts';
import type { ControllerDeps, MessageDeps } from './controller-deps.ts';
import type { ControllerOptions, SharedParts } from './controller-options.ts';
import { ApplicationReads } from './facts/application.ts';
import { makeMeasurer } from './facts/measuring.ts';
import { announcer } from './notifications/announcer.ts';
import { DeliveryQueue } from './notifications/delivery-queue.ts';
import { globalNotifier } from './notifications/global-notifier.ts';
import { loggedEvents } from './notifications/logged-events.ts';
import { ProviderConditions } from './notifications/provider-conditions.ts';
import { deliveringOf } from './notifications/provider-findings.ts';
import { alertSender } from './notifications/send-alert.ts';
import { OutgoingCalls } from './outgoing/outgoing-calls.ts';
import { secretReader } from './outgoing/read-secret.ts';
import { randomWords } from './random-words.ts';
import type { CanaryRegister } from './watch/canary-register.ts';
import { ClusterView } from './watch/cluster-view.ts';
import { ConfigWatches } from './watch/config-watches.ts';
import { KindWatches } from './watch/kind-watches.ts';
import { PodWatches } from './watch/pod-watches.ts';

/** Receives what the dependencies report. */
export interface DepsListener {
  changed(ref: ObjectRef): void;
  /** A config that the Canary `namespace/name` reads has changed. */
  wake(key: string): void;
  delivered(uid: string, key: string): void;
  track(canary: Canary, raw: KubeObject): void;
  /** True if a Canary, or the restoration of a deleted one, looks at objects of the kind. */
  wants(kind: KindRef): boolean;
}

interface MadeDeps {
  deps: ControllerDeps;
  conditions: ProviderConditions;
  calls: OutgoingCalls;
}

/** Makes what the processes of all Canaries share. */
export function makeDeps(options: ControllerOptions, register: CanaryRegister, listener: DepsListener, signal: AbortSignal): MadeDeps {
  const { config, cluster, clock, random, log, metrics, word = randomWords() } = options;
  const isLeading = () => options.mayWrite?.() ?? true;
  const mayWrite = () => !signal.aborted && isLeading();
  const { kinds, calls } = options.shared ?? sharedParts(options);
  const view = new ClusterView(kinds, listener.changed, listener.wants);
  const conditions = new ProviderConditions({
    ...{ cluster: withPriority(cluster, 'upkeep'), clock, log, mayWrite },
    // AlertProviders are read when they are sent to, and not watched.
    learn: (object) => object.kind === 'MetricTemplate' && view.learn(object),
  });
  const anchors = new Anchors(cluster, config.historyLimit, log);
  const deps: ControllerDeps = {
    ...{ config, clock, random, cluster, view, log, mayWrite, isLeading },
    clockAheadMs: () => cluster.aheadMs?.() ?? 0,
    addresses: addressPolicy(config),
    version: options.version ?? 'unknown',
    writer: options.identity ?? word(),
    metrics: {
      ...metrics,
      phaseChanged: (canary, phase) => {
        metrics.phaseChanged(canary, phase, clock.nowMs());
        log.info({ canary: labelOf(canary), phase, weight: canary.status?.canaryWeight }, 'phase changed');
      },
    },
    configWatches: new ConfigWatches(withPriority(cluster, 'upkeep'), clock, listener.wake),
    podWatches: new PodWatches(withPriority(cluster, 'upkeep'), listener.wake),
    applications: new ApplicationReads({ cluster, view, config, log }),
    anchors,
    salts: new SecretSalts({ cluster, anchors, view, config, log, word }),
    journalMemory: new JournalMemory(),
    askCluster: askerOf(cluster),
    cookieWord: word,
    gatesOf: calls.gatesOf,
    ...messaging(options, { calls, conditions, mayWrite }, listener, signal),
    ...makeMeasurer({
      ...{ config, cluster, view, clock, metrics, conditions, askCluster: askerOf(cluster) },
      callsOf: calls.queriesOf,
      metricsServerSecret: options.metricsServerSecret,
    }),
    track: listener.track,
    trackedGeneration: (key) => register.lastSeen(key)?.raw.metadata.generation,
    olderRival: (canary) => register.olderRival(labelOf(canary)),
  };
  return { deps, conditions, calls };
}

/** Parts that several controllers of one process share. */
export function sharedParts({
  config,
  cluster,
  clock,
  log,
  agents,
}: Pick<ControllerOptions, 'config' | 'clock' | 'log' | 'agents'> & { cluster: Pick<Cluster, 'watch'> }): SharedParts {
  return {
    kinds: new KindWatches(cluster, config.namespaces, ({ kind, metadata: { namespace, name } }, err) =>
      log.warn({ kind, object: `${namespace}/${name}`, err }, 'an object cannot be read and is treated as missing: correct or delete it'),
    ),
    calls: new OutgoingCalls({
      ...{ clock, threads: config.threads },
      egress: egressPolicy({ ...config, agents }),
      ownEgress: ownEgress({ ...config, agents }),
    }),
  };
}

/** Events, alerts and webhooks. */
function messaging(
  { config, cluster, clock, log, metrics, notifier, messageTemplates }: ControllerOptions,
  { calls, conditions, mayWrite }: Pick<MadeDeps, 'calls' | 'conditions'> & Pick<ControllerDeps, 'mayWrite'>,
  listener: Pick<DepsListener, 'delivered'>,
  signal: AbortSignal,
): Omit<MessageDeps, 'gatesOf'> {
  const { eventWebhook } = config;
  // A release waits for no Event.
  const recorder = loggedEvents(
    eventRecorder(withPriority(cluster, 'upkeep'), { component: 'serin', instance: 'serin', clock, signal }),
    log,
  );
  const secret = secretReader(cluster, config, signal);
  const callsOf = calls.messagesOf;
  const timeCall = metrics.timeCall(clock);
  const configured = notifier ?? globalNotifier(config);
  const global = configured && 'send' in configured ? configured : undefined;
  if (configured && 'problem' in configured) log.error({ problem: configured.problem }, 'no global alerts');
  const deliveries = new DeliveryQueue({
    ...{ clock, log, mayWrite, eventWebhook, callsOf, timeCall, secret },
    sendAlert: alertSender({
      ...{ config, cluster, clock, secret, global, callsOf, log, messageTemplates },
      onOutcome: (provider, outcome) => conditions.report(provider, deliveringOf(outcome)),
    }),
    record: (canary, event, isAgain) => recorder.record(canary, event, isAgain),
    onEnding: metrics.announced,
    onDelivered: listener.delivered,
  });
  return {
    ...{ deliveries, secret, callsOf, timeCall },
    globalAlerts: global !== undefined,
    ...announcer({ metrics, recorder, log, clock, secret, callsOf, timeCall, eventWebhook, signal }),
  };
}
