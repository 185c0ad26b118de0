import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Clock } from '../../base/clock.ts';
import type { TimeCall } from '../../webhooks/call-webhook.ts';
import type { ControllerDeps, DepsOf } from '../controller-deps.ts';
import type { TrackedConfigs } from '../facts/tracked-configs.ts';
import type { CallsOf } from '../outgoing/outgoing-calls.ts';

/** Dependencies of an answer to one of the chart's questions. */
export interface AnswerContext extends DepsOf<'cluster' | 'anchors' | 'config' | 'measure' | 'compare' | 'secret'> {
  canary: Canary;
  salts: Pick<ControllerDeps['salts'], 'of'>;
  configs: Pick<TrackedConfigs, 'learn'>;
  /** The answer of a write replaces what the view knows. */
  learn(object: KubeObject): void;
  clock?: Clock | undefined;
  callsOf?: CallsOf | undefined;
  gatesOf?: CallsOf | undefined;
  timeCall?: TimeCall | undefined;
}
