import { createInterface } from 'node:readline/promises';
import type { AlertProviderType } from '../../api/alert-provider.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseCanary } from '../../api/parse-canary.ts';
import type { SecretData } from '../../api/secret-use.ts';
import { systemClock } from '../../base/clock.ts';
import { ControllerConfig } from '../../controller/config.ts';
import { alertMessage } from '../../controller/notifications/alert-message.ts';
import { providerSettings } from '../../controller/notifications/provider-settings.ts';
import { secretReader } from '../../controller/outgoing/read-secret.ts';
import { alertReceivers } from '../../engine/alerts.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { isForbidden } from '../../kube/errors.ts';
import { formats, marksCommits, notifierFor, readSettings } from '../../notifiers/index.ts';
import type { AlertFormat, AlertMessage } from '../../notifiers/notifier.ts';
import { ownEgress } from '../../outgoing/own-egress.ts';
import { proxiesIn } from '../../outgoing/proxy.ts';
import { getCanary, resourceName, specUnusable } from '../../reading/canary-reading.ts';
import { headOf } from '../../reading/documents/output-version.ts';
import type { Session } from '../canaries/session.ts';
import { messageTemplatesIn } from '../controller/message-templates-file.ts';
import type { NotifyResult } from '../output/documents.ts';
import { CommandError, type ExitName, usageError } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import type { AlertKind } from './alert-kinds.ts';
import { sampleAlert } from './sample-alert.ts';

export interface NotifyFlags {
  dryRun?: boolean;
  provider?: string;
  reason: AlertKind;
  yes?: boolean;
  dashboardUrl?: string;
  clusterName?: string;
  messageTemplatesFile?: string;
}

interface NotifySurroundings {
  /** Asks the user; returns false for no. */
  ask(question: string): Promise<boolean>;
  environment: NodeJS.ProcessEnv;
}

type NotifySession = Pick<Session, 'namespace' | 'output' | 'clock'> & { cluster: ClusterReader };
type ReceiverResult = NotifyResult['receivers'][number];
type ProviderName = { namespace: string; name: string };

/** Stands for an address that is not known. */
const NO_ADDRESS = 'https://address.of.the.secret/';

/** `serin notify NAME`: a test alert to each receiver, or what each would get. `no` where one fails. */
export async function notifyCommand(
  session: NotifySession,
  name: string,
  flags: NotifyFlags,
  { ask, environment }: NotifySurroundings,
): Promise<ExitName> {
  const { cluster, namespace = 'default', output, clock = systemClock } = session;
  const parsed = parseCanary(await getCanary(cluster, namespace, name));
  if ('problems' in parsed) throw specUnusable(name);
  const { canary } = parsed;
  const message = messageOf(canary, flags, clock.nowMs());
  const providers = providersOf(canary, flags);
  const isDryRun = flags.dryRun === true;
  if (providers.length === 0 && !isDryRun)
    throw new CommandError(
      'no',
      `Canary ${name} names no spec.analysis.alerts, and the address of the global receiver is not in the cluster: add --dry-run to see what it gets, or name an AlertProvider`,
    );
  if (!isDryRun && flags.yes !== true) {
    const named = providers.map(({ namespace: within, name: one }) => `${within}/${one}`).join(', ');
    if (!(await ask(`Send a test alert of the kind ${flags.reason} to ${named}?`))) {
      output.note('Nothing was sent.');
      return 'done';
    }
  }
  const receivers: ReceiverResult[] = providers.length === 0 ? globalReceivers(message) : [];
  for (const provider of providers) receivers.push(await resultOf(session, canary, provider, message, { isDryRun, environment }));
  await output.show(answerOf({ ...headOf('NotifyResult', { namespace, name }), reason: flags.reason, receivers }));
  return receivers.some(({ outcome }) => outcome === 'failed') ? 'no' : 'done';
}

function messageOf(canary: Canary, flags: NotifyFlags, nowMs: number): AlertMessage {
  const { dashboardUrl = '', clusterName = '', messageTemplatesFile } = flags;
  const config = ControllerConfig.safeParse({
    dashboardUrl,
    clusterName,
  });
  if (!config.success) throw usageError(`--dashboard-url: ${config.error.issues[0]?.message}`);
  const templates = messageTemplatesIn(messageTemplatesFile);
  if ('problem' in templates) throw usageError(`--message-templates-file: ${templates.problem}`);
  const message: AlertMessage = { ...alertMessage(canary, sampleAlert(canary, flags.reason, nowMs), config.data), isTest: true };
  const made = templates.templates?.(message);
  if (made === undefined) return message;
  if ('problem' in made) throw usageError(`--message-templates-file: ${made.problem}`);
  return { ...message, text: made.text };
}

/** Each once, in the order of the spec. */
function providersOf(canary: Canary, { provider }: NotifyFlags): ProviderName[] {
  const all = alertReceivers({ canary: { ...canary, spec: { ...canary.spec, analysis: forEverySeverity(canary) } } }, 'error');
  const named = all.filter((one) => one !== undefined);
  if (provider === undefined) return named;
  const chosen = named.filter(({ namespace, name }) => name === provider || `${namespace}/${name}` === provider);
  if (chosen.length > 0) return chosen;
  const known = named.map(({ namespace, name }) => `${namespace}/${name}`).join(', ') || 'none';
  throw usageError(`--provider ${provider}: spec.analysis.alerts of Canary ${canary.metadata.name} does not name it: use one of ${known}`);
}

const forEverySeverity = ({ spec: { analysis } }: Canary): Canary['spec']['analysis'] => ({
  ...analysis,
  alerts: (analysis.alerts ?? []).map((one) => ({ ...one, severity: 'info' as const })),
});

/** Alerts that the receivers of Canaries without alerts of their own would get. */
function globalReceivers(message: AlertMessage): ReceiverResult[] {
  const flagOf = { slack: '--slack-url', msteams: '--msteams-url' } as const;
  return Object.entries(flagOf).map(([type, provider]) => ({
    ...{ provider, type, outcome: 'shown' as const },
    message: 'the controller has its address, channel and user name',
    payload: bodyOf(type as keyof typeof flagOf, { address: NO_ADDRESS }, message),
  }));
}

function bodyOf(type: AlertProviderType, given: Parameters<typeof notifierFor>[1], message: AlertMessage): object {
  const format: AlertFormat = formats[type];
  return format.body(message, readSettings(given));
}

async function resultOf(
  { cluster, clock }: NotifySession,
  canary: Canary,
  to: ProviderName,
  message: AlertMessage,
  { isDryRun, environment }: { isDryRun: boolean; environment: NodeJS.ProcessEnv },
): Promise<ReceiverResult> {
  const provider = `${to.namespace}/${to.name}`;
  const object = await cluster.get({ apiVersion: canary.apiVersion, kind: 'AlertProvider', ...to });
  const isWanted = alertReceivers({ canary }, message.severity).some((one) => one?.name === to.name && one.namespace === to.namespace);
  // No severity filters the states of a commit.
  if (!isWanted && !(object && marksCommits(object)))
    return { provider, outcome: 'filtered', message: `the alert is ${message.severity}, and the Canary wants only more severe ones` };
  if (object === undefined) return { provider, outcome: 'failed', message: 'it does not exist: create it, or correct providerRef' };
  const { found, note } = await settingsOf(cluster, object, to.namespace, isDryRun);
  if ('problem' in found) return { provider, outcome: 'failed', message: found.problem };
  const { type, settings } = found;
  const format: AlertFormat = formats[type];
  if (format.wants?.(message) === false)
    return { provider, type, outcome: 'filtered', message: `an alert of the kind ${message.reason} changes no state of a commit` };
  const refusal = format.refuses?.(message);
  if (refusal !== undefined) return { provider, type, outcome: 'failed', message: refusal };
  // The same check as before a message is sent.
  const made = notifierFor(type, settings, { egress: ownEgress({ proxyEnvironment: proxiesIn(environment) }), ...(clock && { clock }) });
  if ('problem' in made) return { provider, type, outcome: 'failed', message: made.problem };
  if (isDryRun) return { provider, type, outcome: 'shown', ...(note && { message: note }), payload: bodyOf(type, settings, message) };
  const sent = await made.send(message, new AbortController().signal);
  return sent.ok ? { provider, type, outcome: 'sent' } : { provider, type, outcome: 'failed', message: sent.reason };
}

/** In a dry run without the right to read the Secret, its address is not known; the rest is. */
async function settingsOf(cluster: ClusterReader, object: KubeObject, namespace: string, isDryRun: boolean) {
  const config = { requireSecretLabel: false };
  const read = secretReader(cluster, config, new AbortController().signal);
  try {
    return { found: await providerSettings(object, namespace, read) };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    if (!isDryRun) return { found: { problem: 'its Secret cannot be read with these credentials' } };
    const unknown = async (): Promise<SecretData> => ({ address: NO_ADDRESS });
    return { found: await providerSettings(object, namespace, unknown), note: 'its Secret cannot be read with these credentials' };
  }
}

const said = { shown: 'would get', sent: 'sent', failed: 'failed', filtered: 'gets nothing' } as const;

function answerOf(result: NotifyResult): CommandAnswer<NotifyResult> {
  return {
    document: result,
    names: [resourceName(result)],
    lines: () =>
      result.receivers.flatMap(({ provider, type, outcome, message, payload }) => [
        `${provider}${type === undefined ? '' : ` (${type})`}: ${said[outcome]}${message === undefined ? '' : `: ${message}`}`,
        ...(payload === undefined ? [] : JSON.stringify(payload, undefined, 2).split('\n')),
      ]),
  };
}

/** The answer of the user to a question; a pipeline has to say it by --yes. */
export async function askOnTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw usageError('no terminal for a confirmation: add --yes to send, or --dry-run to see the message');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
