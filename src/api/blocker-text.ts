import type { BlockedObject, NewBlocker } from './blocker.ts';
import { type BlockerCode, remedyOf } from './codes/codes.ts';
import { codes } from './codes/list.ts';

/** One sentence about a blocker, without a full stop: what happened, to which object, and what to do. Foreign text is not changed. */
export function blockerText({ code, object, field, detail = '' }: NewBlocker): string {
  return (
    (object && aboutObject(code, object, field, detail)) ??
    aboutRequest(code, detail, object) ??
    (detail === '' ? codes[code].meaning : detail)
  );
}

function aboutObject(code: BlockerCode, object: BlockedObject, field = '', detail: string): string | undefined {
  const { apiVersion, kind, name } = object;
  const remedy = () => remedyOf(code, { object, field });
  switch (code) {
    case 'NameTaken':
      return `${kind} ${name} exists and is not ours: ${remedy()}`;
    case 'TargetNotFound':
      return `spec.targetRef: ${kind} ${name} does not exist${object.namespace === undefined ? '' : ` in namespace ${object.namespace}`}: ${remedy()}`;
    case 'ScalerNotFound':
      return `spec.autoscalerRef: ${kind} ${name} does not exist: ${remedy()}; nothing goes on until then`;
    case 'TemplateLeftover':
      return `${name} still holds ${field} after the promotion, which the promoted template does not: another controller or webhook puts it back`;
    case 'NoPromotedTemplate':
      return `the last promoted template of ${name} is not kept any more: ${remedy()}`;
    case 'ConfigNotFound':
      return `${kind} ${name}, which the target's pods need, does not exist: ${remedy()}`;
    case 'ConfigUnreadable':
      return `${kind} ${name} ${detail}`;
    case 'ConfigCopyRejected':
      return `${kind} ${name}, the copy that the primary is to read, cannot be made: ${detail}`;
    case 'KindNotFound':
      return `the cluster has no ${kind} in ${apiVersion}: ${detail}`;
    case 'Forbidden':
      return `reading ${kind} in ${apiVersion} is forbidden: ${detail}`;
    default:
      return undefined;
  }
}

/** A request that the API server refused. */
function aboutRequest(code: BlockerCode, detail: string, object: BlockedObject | undefined): string | undefined {
  if (detail === '') return undefined;
  const isRequest = code === 'Forbidden' || code === 'QuotaExceeded' || code === 'ApiRejected' || code === 'NamespaceUnavailable';
  return isRequest ? `the API server refused ${detail}: ${remedyOf(code, { object })}` : undefined;
}
