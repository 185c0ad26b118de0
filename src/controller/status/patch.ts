import type { Canary } from '../../api/canary.ts';
import type { CanaryStatus } from '../../api/canary-status.ts';
import { isKstatusType } from '../../api/kstatus.ts';
import { isRecord } from '../../base/json.ts';
import { timestamp } from '../../base/timestamp.ts';
import { attentionOf } from './attention.ts';

/**
 * The merge patch that turns the stored status into this one: every field that we set, and null for what is no longer said. Undefined
 * when nothing but the time of the write would change.
 */
export function statusPatch(
  stored: object | undefined,
  wanted: CanaryStatus,
  resourceVersion: string,
  nowMs: number,
): Record<string, unknown> | undefined {
  const before = stored as Record<string, unknown> | undefined;
  const { lastTransitionTime: _, reason: _reason, ...said } = wanted;
  const { lastTransitionTime: _before, reason: _reasonBefore, ...saidBefore } = before ?? {};
  if (before && isSameStored(saidBefore, said)) return undefined;
  const patch = {
    ...withRemovals(before ?? {}, { ...said, reason: attentionOf(wanted) }),
    lastTransitionTime: wanted.lastTransitionTime ?? timestamp(nowMs),
  };
  return { metadata: { resourceVersion }, status: patch };
}

/** True if only the sentence of the `Promoted` condition, its data and its time differ from the stored status (rule E55). */
export function saysOnlyAnew(stored: object | undefined, wanted: CanaryStatus): boolean {
  const silent = (status: object) => {
    const { conditions = [], lastTransitionTime: _, reason: _reason, ...rest } = status as CanaryStatus;
    const undated = conditions.map(({ message, lastUpdateTime, reason, ...condition }) => ({
      ...condition,
      // The reason of those of kstatus is that of the first blocker.
      ...(isKstatusType(condition.type) ? {} : { reason }),
      ...(condition.type === 'Promoted' || isKstatusType(condition.type) ? {} : { message, lastUpdateTime }),
    }));
    const { blockers: _blockers, dueMs: _due, ...release } = rest.release ?? {};
    return { ...rest, release, conditions: undated };
  };
  return stored !== undefined && isSameStored(silent(stored), silent(wanted));
}

/** A merge patch drops a field only when it is named with null. */
function withRemovals(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const old = before[key];
    patch[key] = isRecord(value) && isRecord(old) ? withRemovals(old, value) : value;
  }
  for (const key of Object.keys(before)) if (after[key] === undefined && key !== 'lastTransitionTime') patch[key] = null;
  return patch;
}

/** True if both are equal once they are stored: without undefined fields, and with null for a number that JSON does not have. */
export function isSameStored(a: unknown, b: unknown): boolean {
  if (a === b || (isNull(a) && isNull(b))) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameStored(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key of Object.keys(a)) if (!isSameStored(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (!(key in a) && !isSameStored(undefined, b[key])) return false;
  return true;
}

const isNull = (value: unknown): boolean => value === null || (typeof value === 'number' && !Number.isFinite(value));

/** The stored form: without undefined fields. */
export function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** The part of a stored release that decisions are made from. */
export function memoryOf({ status }: Canary): unknown {
  if (status?.release === undefined) return undefined;
  const { blockers: _, dueMs: __, ...memory } = status.release;
  return memory;
}
