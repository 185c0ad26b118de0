import { createHash } from 'node:crypto';
import type { Canary } from '../../api/canary.ts';
import { labelOf } from '../../api/kube-object.ts';
import type { Announcement } from '../../engine/reasons.ts';
import type { EventRecorder, InvolvedObject } from '../../kube/events.ts';
import type { TimeCall } from '../../webhooks/call-webhook.ts';
import { sendEvent } from '../../webhooks/run-hooks.ts';
import type { ControllerDeps, DepsOf } from '../controller-deps.ts';
import type { CallsOf } from '../outgoing/outgoing-calls.ts';
import type { ControllerMetrics } from '../telemetry/controller-metrics.ts';

interface AnnouncerDeps extends DepsOf<'log' | 'clock' | 'secret'> {
  metrics: Pick<ControllerMetrics, 'announced'>;
  recorder: EventRecorder;
  eventWebhook: string;
  callsOf: CallsOf;
  timeCall: TimeCall;
}

/** Announces what happened: by an Event, by the event webhooks, in the log and in the metrics. Nothing waits for it. */
export function announcer(deps: AnnouncerDeps): Pick<ControllerDeps, 'announce' | 'announceOn'> {
  const { metrics, recorder, log, clock, secret, eventWebhook, callsOf, timeCall, signal } = deps;
  const announceOn = (involved: InvolvedObject, announcement: Announcement): void => {
    metrics.announced(involved, announcement.reason);
    void recorder.record(involved, announcement);
  };
  const announce = (canary: Canary, announcement: Announcement): void => {
    announceOn(canary, announcement);
    const { phase, release } = canary.status ?? { phase: '' as const };
    const event = { message: announcement.message, type: announcement.type, atMs: clock.nowMs() };
    const key = newsKey(canary, announcement, event.atMs);
    const checksum = release?.revision ?? '';
    // Many can wait, and each has to be taken off a list of its own.
    const own = AbortSignal.any([signal]);
    const calls = callsOf(canary.metadata.namespace);
    sendEvent(canary, event, { key, phase, checksum, signal: own, clock, secret, fallbackUrl: eventWebhook, ...calls, timeCall }).then(
      (refusals) => {
        for (const refusal of refusals)
          log.warn({ canary: labelOf(canary), webhook: refusal.webhook, reason: refusal.reason }, 'event webhook failed');
      },
      (error: unknown) => {
        if (!signal.aborted) log.warn({ canary: labelOf(canary), err: error }, 'event webhook failed');
      },
    );
  };
  return { announce, announceOn };
}

/** News are announced once, or not at all: a process that has ended announces nothing, and the next one has news of its own. */
function newsKey({ metadata, status }: Canary, { reason, message }: Announcement, atMs: number): string {
  const { run = 0, revision = '' } = status?.release ?? {};
  const hash = createHash('sha256').update(message).digest('hex').slice(0, 16);
  return `${metadata.uid}/${run}/${revision}/${reason}/${atMs}-${hash}/event-webhook`;
}
