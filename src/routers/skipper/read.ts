import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { leadsTo } from '../ingress/ingress-rules.ts';
import { ALL, readAs, readWeights } from '../weights.ts';
import { FIRST, foreignPredicates, NEVER, readMatch, splitPredicates } from './predicates.ts';
import { PREDICATE, WEIGHTS } from './render.ts';

/** The routes of our copy. `source`: the user's Ingress, whose own predicates are left out of the condition. */
export function readCopy(canary: Canary, copy: KubeObject, source: KubeObject | undefined): Routes | UnreadableRoutes {
  const where = `Ingress ${copy.metadata.name}`;
  const live = copy.metadata.annotations ?? {};
  const { primaryService, canaryService } = names(canary);
  if (!leadsTo(copy, canaryService) || !leadsTo(copy, primaryService))
    return { unreadable: `the paths of ${where} do not lead to both ${primaryService} and ${canaryService}` };
  const found = parseJson(live[WEIGHTS] ?? '');
  const weights = isRecord(found) ? found : {};
  const share = readWeights({ primary: weights[primaryService], canary: weights[canaryService] });
  if (share === undefined) return { unreadable: `${WEIGHTS} of ${where} has no whole weights for both sides that sum to ${ALL}` };
  const predicates = splitPredicates(live[PREDICATE] ?? '');
  if (predicates.includes(NEVER) && share > 0) return { unreadable: `${PREDICATE} of ${where} takes out what has a share` };
  const own = foreignPredicates(source?.metadata.annotations?.[PREDICATE]);
  const conditions = predicates.filter((predicate) => predicate !== FIRST && predicate !== NEVER);
  const match = readMatch(conditions, own, canary.spec.analysis.match);
  if (match && 'unreadable' in match) return { unreadable: `${match.unreadable} in ${PREDICATE} of ${where}` };
  return readAs(share, match);
}
