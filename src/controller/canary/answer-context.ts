import type { Canary } from '../../api/canary.ts';
import type { Verdict } from '../../api/canary-status.ts';
import type { Clock } from '../../api/clock.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ReadSecret } from '../../api/secret-use.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { TimeCall } from '../../webhooks/call-webhook.ts';
import type { Anchors } from '../adoption/anchors.ts';
import type { ControllerConfig } from '../config.ts';
import type { TrackedConfigs } from '../facts/tracked-configs.ts';
import type { CallsOf } from '../outgoing/outgoing-calls.ts';

/** Dependencies of an answer to one of the chart's questions. */
export interface AnswerContext {
  canary: Canary;
  cluster: Cluster;
  anchors: Anchors;
  config: ControllerConfig;
  configs: Pick<TrackedConfigs, 'learn'>;
  /** The answer of a write replaces what the view knows. */
  learn(object: KubeObject): void;
  measure(canary: Canary, signal: AbortSignal, onQuery?: (query: string) => void): Promise<Verdict[]>;
  secret: ReadSecret;
  clock?: Clock | undefined;
  callsOf?: CallsOf | undefined;
  gatesOf?: CallsOf | undefined;
  timeCall?: TimeCall | undefined;
  signal: AbortSignal;
}
