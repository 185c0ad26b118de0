import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, type ObjectRef, refOf } from '../../api/kube-object.ts';
import { isRecord, type JsonRecord, recordsIn } from '../../base/json.ts';
import { type Alternative, isOlder, type MatchCondition, precedence, requestsOf, takenFrom } from '../split/alternative.ts';
import type { Taken, WrittenRoute } from '../split/split-form.ts';

/**
 * A host has one root, which includes others: of all their routes the most specific takes a request. Requests that an include leads to a proxy belong to that
 * proxy, but not requests for routes of the root with more conditions than the include.
 * Source: projectcontour.io, HTTPProxy inclusion and request routing.
 */
export function takes({ now, found, before }: WrittenRoute, others: readonly KubeObject[]): Taken[] {
  return others.flatMap((on): Taken[] => {
    const { virtualhost, routes } = specOf<JsonRecord>(on);
    const host = isRecord(virtualhost) && typeof virtualhost.fqdn === 'string' ? virtualhost.fqdn : `${on.metadata.name}: `;
    const theirs = recordsIn(routes).map(({ conditions }) => alternativeOf(recordsIn(conditions)));
    for (const { conditions } of includesOf(on, refOf(now))) {
      const given = recordsIn(conditions);
      const own = (route: KubeObject) =>
        recordsIn(specOf<JsonRecord>(route).routes).map((rule) => alternativeOf([...given, ...recordsIn(rule.conditions)]));
      const apart = theirs.filter((one) => (precedence(one, alternativeOf(given)) ?? 0) > 0);
      const taken = takenFrom(apart, { now: own(now), before: before ? own(before) : [], isOlder: isOlder(found, on) });
      if (taken) return [{ on, requests: requestsOf(host, taken) }];
    }
    return [];
  });
}

/** The entries by which one HTTPProxy includes another. */
export function includesOf({ metadata, spec }: KubeObject, { name, namespace }: ObjectRef): JsonRecord[] {
  const included = recordsIn(isRecord(spec) ? spec.includes : undefined);
  return included.filter((one) => one.name === name && (one.namespace ?? metadata.namespace) === namespace);
}

/** Paths of an include and of the route in it are joined. */
function alternativeOf(conditions: readonly JsonRecord[]): Alternative {
  const paths = conditions.flatMap(({ prefix, exact, regex }): Alternative['path'][] => {
    if (typeof prefix === 'string') return [{ type: 'prefix', value: prefix }];
    if (typeof exact === 'string') return [{ type: 'exact', value: exact }];
    return typeof regex === 'string' ? [{ type: 'regex', value: regex }] : [];
  });
  const value = paths
    .map((one) => one.value)
    .join('')
    .replace(/\/+/g, '/');
  return {
    path: { type: paths.at(-1)?.type ?? 'prefix', value: value.length > 1 ? value.replace(/\/$/, '') : '/' },
    headers: conditions.flatMap(({ header }) => conditionOf(header, true)),
    queryParams: conditions.flatMap(({ queryParameter }) => conditionOf(queryParameter, false)),
  };
}

function conditionOf(said: unknown, isHeader: boolean): MatchCondition[] {
  if (!isRecord(said)) return [];
  const name = String(said.name);
  return [{ name: isHeader ? name.toLowerCase() : name, said, ...(typeof said.exact === 'string' && { exact: said.exact }) }];
}
