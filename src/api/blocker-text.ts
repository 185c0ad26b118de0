import type { BlockedObject, NewBlocker } from './blocker.ts';
import { type BlockerCode, blockers } from './blockers.ts';
import { adoptAnnotation } from './names.ts';

/** The field of an object that may be handed over to Serin. */
export const adoptField = `metadata.annotations[${adoptAnnotation}]`;

/** One sentence about a blocker, without a full stop: what happened, to which object, and what to do. Foreign text is kept as it is. */
export function blockerText({ code, object, field, detail = '' }: NewBlocker): string {
  return (
    (object && aboutObject(code, object, field, detail)) ?? aboutRequest(code, detail) ?? (detail === '' ? blockers[code].meaning : detail)
  );
}

function aboutObject(code: BlockerCode, { apiVersion, kind, name }: BlockedObject, field = '', detail: string): string | undefined {
  switch (code) {
    case 'NameTaken': {
      const adoption = field === adoptField ? `, or annotate it ${adoptAnnotation}=true to hand it over` : '';
      return `${kind} ${name} exists and is not ours: rename or remove it${adoption}`;
    }
    case 'ScalerNotFound':
      return `spec.autoscalerRef: ${kind} ${name} does not exist: create it, or correct the name; nothing goes on until then`;
    case 'TemplateLeftover':
      return `${name} still holds ${field} after the promotion, which the promoted template does not: another controller or webhook puts it back`;
    case 'NoPromotedTemplate':
      return `the last promoted template of ${name} is not kept any more: push a good revision to the target`;
    case 'ConfigNotFound':
      return `${kind} ${name}, which the target's pods need, does not exist: create it, or make the reference optional`;
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
function aboutRequest(code: BlockerCode, detail: string): string | undefined {
  if (detail === '') return undefined;
  switch (code) {
    case 'Forbidden':
      return `the API server refused ${detail}: grant it to the service account of Serin, by a Role or ClusterRole`;
    case 'QuotaExceeded':
      return `the API server refused ${detail}: ask the owner of the quota to raise it`;
    case 'ApiRejected':
      return `the API server refused ${detail}: ask the owner of the rule that rejects it to correct the rule or make an exception`;
    default:
      return undefined;
  }
}
