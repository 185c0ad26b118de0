import type { z } from 'zod';
import { isRecord } from '../base/json.ts';
import { CanaryCondition, CanaryStatus, Release } from './canary-status.ts';
import { Phase } from './phase.ts';

/**
 * Reads a status of any writer: a field that cannot be read is dropped, or counts as zero if the type requires it. Undefined if the status is not an object.
 */
export function parseStatus(raw: unknown): CanaryStatus | undefined {
  if (!isRecord(raw)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(raw));
  const status: z.infer<typeof Fields> = {
    phase: Phase.safeParse(fields.get('phase')).data ?? '',
    failedChecks: numberOr0(fields.get('failedChecks')),
    canaryWeight: numberOr0(fields.get('canaryWeight')),
    iterations: numberOr0(fields.get('iterations')),
  };
  for (const name of texts) {
    const value = fields.get(name);
    if (typeof value === 'string') status[name] = value;
  }
  const configs = fields.get('trackedConfigs');
  if (isRecord(configs)) {
    status.trackedConfigs = Object.fromEntries(
      Object.entries(configs).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  }
  const { data } = Fields.safeParse(status);
  if (data === undefined) return undefined;
  const conditions = fields.get('conditions');
  const release = Release.safeParse(fields.get('release'));
  return {
    ...data,
    ...(Array.isArray(conditions) && { conditions: conditions.flatMap((each) => CanaryCondition.safeParse(each).data ?? []) }),
    ...(release.success && { release: release.data }),
  };
}

/** Conditions and release are the larger part, and are read separately. */
const Fields = CanaryStatus.omit({ conditions: true, release: true });

const texts = [
  'reason',
  'lastAppliedSpec',
  'lastPromotedSpec',
  'lastTransitionTime',
  'sessionAffinityCookie',
  'primarySessionAffinityCookie',
  'previousSessionAffinityCookie',
] as const;

function numberOr0(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
