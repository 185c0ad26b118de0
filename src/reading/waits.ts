import type { Blocker } from '../api/blocker.ts';
import { actorOf, type BlockerCode, isBlockerCode, needsNoOne } from '../api/codes/codes.ts';
import { codes } from '../api/codes/list.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { parseStatus } from '../api/parse-status.ts';
import { asRecord, timeOf } from './canary-reading.ts';

/** One gate, object, check, Canary or user that a Canary waits for. */
export interface CanaryWait {
  kind: 'gate' | 'canary' | 'check' | 'object' | 'decision';
  /** The same for all that wait for the same. */
  name: string;
  code: BlockerCode;
  /** Path of the field concerned, in the object or else in the Canary: one object can be waited for because of several. */
  field?: string | undefined;
  /** The person or team who can end it. */
  who: string;
  /** RFC 3339. */
  since?: string | undefined;
  /** RFC 3339: the release is rolled back then, or goes on. */
  until?: string | undefined;
}

/** A refusal that is stored only in a condition has just its code. */
type Known<C = BlockerCode> = { code: C } & { [Part in Exclude<keyof Blocker, 'code'>]?: Blocker[Part] | undefined };

/** Waits of a Canary that do not end by themselves, from the controller's record; the most urgent first. At most `MOST_BLOCKERS`, and a refusal. Pure. */
export function recordedWaits(raw: KubeObject): CanaryWait[] {
  if (raw.metadata.deletionTimestamp !== undefined) return [];
  const { release, conditions } = parseStatus(raw.status) ?? {};
  return recordedIn(release?.blockers, conditions).flatMap((blocker) => {
    const { code, field, since, until } = blocker;
    if (needsNoOne(code)) return [];
    return [
      {
        ...awaited(raw, blocker),
        ...{ code, who: actorOf(code, blocker) },
        ...(field === undefined ? {} : { field }),
        ...timeOf('since', since),
        ...timeOf('until', until),
      },
    ];
  });
}

/** The recorded blockers, after a refusal that came before the release was examined and is stored only in the condition. */
export function recordedIn<C extends string>(
  blockers: readonly Known<C>[] = [],
  conditions: readonly { type: string; status: string; reason?: string | undefined }[] = [],
): readonly Known<C | BlockerCode>[] {
  const { reason = '' } = conditions.find(({ type, status }) => type === 'Accepted' && status === 'False') ?? {};
  return !isBlockerCode(reason) || blockers.some(({ code }) => code === reason) ? blockers : [{ code: reason }, ...blockers];
}

function awaited(raw: KubeObject, { code, object, webhook, metric, detail = '' }: Known): Pick<CanaryWait, 'kind' | 'name'> {
  if (code === 'TargetTaken') {
    const { kind = '', name = '' } = asRecord(asRecord(raw.spec).targetRef);
    return { kind: 'canary', name: `${kind} ${raw.metadata.namespace ?? ''}/${name}` };
  }
  if (webhook !== undefined) return { kind: 'gate', name: webhook };
  if (code === 'Paused') return { kind: 'decision', name: detail === '' ? codes.Paused.meaning : `${codes.Paused.meaning} by ${detail}` };
  if (object !== undefined) {
    const { kind, name, namespace = raw.metadata.namespace } = object;
    return { kind: 'object', name: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}` };
  }
  if (metric !== undefined) return { kind: 'check', name: metric };
  return { kind: 'decision', name: codes[code].meaning };
}
