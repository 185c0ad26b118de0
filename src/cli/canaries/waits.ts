import type { Blocker } from '../../api/blocker.ts';
import { actors } from '../../api/codes/code.ts';
import { type BlockerCode, isBlockerCode, needsNoOne } from '../../api/codes/codes.ts';
import { codes } from '../../api/codes/list.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { record, timeOf } from './canary-reading.ts';

/** One gate, object, check, Canary or user that a Canary waits for. */
export interface Wait {
  kind: 'gate' | 'canary' | 'check' | 'object' | 'decision';
  /** The same for all that wait for the same. */
  name: string;
  code: BlockerCode;
  /** Who can end it. */
  who: string;
  /** RFC 3339. */
  since?: string | undefined;
  /** RFC 3339: the release is rolled back then, or goes on. */
  until?: string | undefined;
}

type Known = Pick<Blocker, 'code'> & Partial<Blocker>;

/** What a Canary waits for that does not end by itself, as the controller recorded it; the most urgent first. Pure. */
export function waitsOf(raw: KubeObject): Wait[] {
  if (raw.metadata.deletionTimestamp !== undefined) return [];
  const status = parseStatus(raw.status);
  const { blockers: recorded = [] } = status?.release ?? {};
  const refused = status?.conditions?.find(({ type, status: is }) => type === 'Accepted' && is === 'False');
  // Without a release a blocker is stored nowhere but in the condition.
  const refusal: Known[] = refused && recorded.length === 0 && isBlockerCode(refused.reason) ? [{ code: refused.reason }] : [];
  const all = new Map<string, Wait>();
  for (const blocker of [...recorded, ...refusal]) {
    if (needsNoOne(blocker.code)) continue;
    const { code, since, until } = blocker;
    const wait = { ...awaited(raw, blocker), code, who: actors[codes[code].actor], ...timeOf('since', since), ...timeOf('until', until) };
    const key = `${wait.kind} ${wait.name}`;
    if (!all.has(key)) all.set(key, wait);
  }
  return [...all.values()];
}

function awaited(raw: KubeObject, { code, object, webhook, metric, detail = '' }: Known): Pick<Wait, 'kind' | 'name'> {
  if (code === 'TargetTaken') {
    const { kind = '', name = '' } = record(record(raw.spec).targetRef);
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
