import type { Canary } from '../../api/canary.ts';
import type { Delivery } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ReadSecret } from '../../api/secret-use.ts';
import { atOnce } from '../../api/turns.ts';
import type { Clock } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { marksCommits, notifierFor } from '../../notifiers/index.ts';
import type { MessageTemplates } from '../../notifiers/message-templates.ts';
import type { AlertMessage, Notifier, SendOutcome } from '../../notifiers/notifier.ts';
import type { ControllerConfig } from '../config.ts';
import type { Log } from '../log.ts';
import type { CallsOf } from '../outgoing/outgoing-calls.ts';
import { alertMessage } from './alert-message.ts';
import { isOvertaken, KeyedTurns } from './commit-order.ts';
import { providerSettings } from './provider-settings.ts';

/** A Canary whose messages are sent; without a spec where that is refused. */
export type MessageSource = Omit<Canary, 'spec'> & Partial<Pick<Canary, 'spec'>>;
export type SendAlert = (canary: MessageSource, delivery: Delivery, signal: AbortSignal) => Promise<SendOutcome>;

interface AlertSenderDeps {
  config: Pick<ControllerConfig, 'clusterName' | 'dashboardUrl' | 'journalLimit' | 'noCrossNamespaceRefs'>;
  cluster: Pick<Cluster, 'get'>;
  secret: ReadSecret;
  global: Notifier | undefined;
  callsOf?: CallsOf;
  log?: Pick<Log, 'warn'>;
  messageTemplates?: MessageTemplates | undefined;
  clock?: Clock;
  /** Gets the outcome of each attempt at an AlertProvider that exists. */
  onOutcome?(provider: KubeObject, outcome: SendOutcome): void;
}

/** Sends one alert to one receiver. AlertProvider and Secret are read for each attempt: what was corrected counts at once. */
export function alertSender(deps: AlertSenderDeps): SendAlert {
  const ofCommits = new KeyedTurns();
  return async (canary, delivery, signal) => {
    const { alert } = delivery;
    const found = alert?.to ? await receiverOf(alert.to, delivery, canary, deps, signal) : { receiver: deps.global };
    const { receiver, provider, isMarking } = found;
    if (receiver === undefined) return { ok: true };
    const { turns = atOnce } = deps.callsOf?.(canary.metadata.namespace) ?? {};
    const message = inOperatorsWords(alertMessage(canary, delivery, deps.config), deps);
    const send = async () => ('send' in receiver ? turns.run(() => receiver.send(message, signal), signal) : receiver);
    // Two statuses of one commit that are under way at the same time could arrive in any order.
    const outcome = isMarking ? await ofCommits.run(`${canary.metadata.uid} ${provider?.metadata.uid}`, send) : await send();
    // A final failure is a fault of the Canary, and another Canary can use the same provider.
    if (provider && !isFinal(outcome)) deps.onOutcome?.(provider, outcome);
    return outcome;
  };
}

const isFinal = (outcome: SendOutcome): boolean => !outcome.ok && outcome.isFinal === true;

/** The text by the operator's template; where that fails, the alert is sent with its own. */
function inOperatorsWords(
  message: AlertMessage,
  { messageTemplates, log }: Pick<AlertSenderDeps, 'messageTemplates' | 'log'>,
): AlertMessage {
  const made = messageTemplates?.(message);
  if (made === undefined) return message;
  if ('text' in made) return { ...message, text: made.text };
  const canary = `${message.canary.namespace}/${message.canary.name}`;
  log?.warn({ canary, reason: made.problem }, 'a message template is not used: the alert is sent with the default text');
  return message;
}

type AlertFailure = SendOutcome & { ok: false };

/** Without a receiver nothing is to be sent. */
interface FoundReceiver {
  receiver: Notifier | AlertFailure | undefined;
  /** The AlertProvider that was read, `undefined` if none was. */
  provider?: KubeObject;
  isMarking?: boolean;
}

async function receiverOf(
  to: { namespace: string; name: string },
  delivery: Delivery,
  canary: MessageSource,
  deps: AlertSenderDeps,
  signal: AbortSignal,
): Promise<FoundReceiver> {
  const { config, cluster } = deps;
  // Also here: it might have been listed before the flag was set.
  if (config.noCrossNamespaceRefs && to.namespace !== canary.metadata.namespace) {
    const reason = `it is in namespace ${to.namespace}, which --no-cross-namespace-refs forbids`;
    return { receiver: { ok: false, reason, mayRetry: false, isFinal: true } };
  }
  try {
    const provider = await cluster.get({ apiVersion: canary.apiVersion, kind: 'AlertProvider', ...to }, { signal });
    const isOfCommit = delivery.alert?.commitOnly === true;
    if (provider === undefined) return { receiver: isOfCommit ? undefined : wrong('it does not exist: create it, or correct providerRef') };
    const isMarking = marksCommits(provider);
    if (isMarking ? isOvertaken(canary.status, delivery) : isOfCommit) return { receiver: undefined };
    return { provider, isMarking, receiver: await notifierOf(provider, to.namespace, deps, canary) };
  } catch {
    signal.throwIfAborted();
    // The error of a failed read can quote the request: the words for the user are ours.
    return { receiver: { ok: false, reason: 'it or its Secret could not be read', mayRetry: true } };
  }
}

async function notifierOf(
  provider: KubeObject,
  namespace: string,
  { secret, callsOf, clock }: AlertSenderDeps,
  { metadata }: MessageSource,
): Promise<Notifier | AlertFailure> {
  const found = await providerSettings(provider, namespace, secret);
  if ('problem' in found) return wrong(found.problem);
  const { egress } = callsOf?.(metadata.namespace) ?? {};
  const made = notifierFor(found.type, found.settings, { clock, ...(egress && { egress }) });
  return 'problem' in made ? wrong(made.problem) : made;
}

function wrong(reason: string): AlertFailure {
  return { ok: false, reason, mayRetry: false };
}
