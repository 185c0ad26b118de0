import { cutText } from '../base/cut-text.ts';
import type { CanaryCondition } from './canary-status.ts';
import type { BlockerCode } from './codes/codes.ts';
import { kstatusAnnotation } from './names.ts';

/** Types of the conditions by which kstatus knows the state of any object: https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus. */
const KSTATUS_TYPES = ['Ready', 'Reconciling', 'Stalled'] as const;
type KstatusType = (typeof KSTATUS_TYPES)[number];

const TYPES: ReadonlySet<string> = new Set(KSTATUS_TYPES);
export const isKstatusType = (type: string): boolean => TYPES.has(type);

/** Longest message, in characters: the condition `Promoted` has the whole one. */
const MOST_MESSAGE = 512;

/** Refusals that only an edit of the Canary ends. Others end with something else, in a time that is not known. */
const STALLED_BY: ReadonlySet<string> = new Set<BlockerCode>(['InvalidSpec', 'UnsupportedByProvider', 'CrossNamespaceRef', 'TargetTaken']);

/** A condition without its times. */
export type KstatusCondition = Pick<CanaryCondition, 'type' | 'status' | 'reason' | 'message'>;

/** The annotation of the Canary decides, and without it the flag of the controller. */
export function writesKstatus(
  { metadata }: { metadata: { annotations?: Readonly<Record<string, string>> | undefined } },
  { kstatus }: { kstatus: boolean },
): boolean {
  const own = metadata.annotations?.[kstatusAnnotation];
  return own === 'true' || (kstatus && own !== 'false');
}

/** The conditions of a Canary that cannot run. */
export function kstatusOfRefusal({ reason, message }: { reason: string; message: string }): KstatusCondition[] {
  return STALLED_BY.has(reason) ? stalled(reason, message) : reconciling(reason, message);
}

export const ready = (reason: string, message: string): KstatusCondition[] => [condition('Ready', 'True', reason, message)];

export const reconciling = (reason: string, message: string): KstatusCondition[] => [
  condition('Ready', 'Unknown', reason, message),
  condition('Reconciling', 'True', reason, message),
];

export const stalled = (reason: string, message: string): KstatusCondition[] => [
  condition('Ready', 'False', reason, message),
  condition('Stalled', 'True', reason, message),
];

function condition(type: KstatusType, status: CanaryCondition['status'], reason: string, message: string): KstatusCondition {
  return { type, status, reason, message: cutText(message, MOST_MESSAGE) };
}
