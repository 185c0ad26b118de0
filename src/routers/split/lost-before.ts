import { isDeepStrictEqual } from 'node:util';
import { splitAnnotation } from '../../api/adopt-annotation.ts';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { JsonRecord } from '../../base/json.ts';
import { originalSpec } from '../original-spec.ts';
import type { Unkept } from '../router.ts';
import type { SplitForm } from './split-form.ts';

/** Fields that decide which requests a rule takes, and where they go: our own rule replaces them. */
const OF_ONE_RULE = new Set(['name', 'matches', 'backendRefs', 'match', 'route', 'conditions', 'services']);
const LISTS = new Set(['rules', 'http', 'tls', 'tcp', 'routes', 'tcpproxy']);

/** Losses of a route that an earlier Serin, or Flagger, has taken over whole: its spec from before is kept in it. */
export function lostBefore(canary: Canary, on: KubeObject, form: SplitForm): Unkept[] {
  const spec = originalSpec(on, form.namesSides(canary));
  if (!spec) return [];
  const before: KubeObject = { ...on, spec };
  const live = specOf<JsonRecord>(on);
  const rules = form.rulesIn(on);
  const fields = Object.entries(spec).filter(([field, value]) => !LISTS.has(field) && !isDeepStrictEqual(live[field], value));
  const ofRules = form
    .rulesIn(before)
    .flatMap((rule) => Object.entries(rule))
    .filter(([field, value]) => !OF_ONE_RULE.has(field) && !rules.some((rule) => isDeepStrictEqual(rule[field], value)));
  const known = new Set([...form.servicesOf(on), `${canary.metadata.namespace}/${names(canary).apexService}`]);
  const services = [...new Set(form.servicesOf(before))].filter((service) => !known.has(service)).map((service) => service.split('/')[1]);
  const lost = [...new Set([...fields, ...ofRules].map(([field]) => field))];
  const parts = [
    ...(lost.length > 0 ? [lost.join(', ')] : []),
    ...(services.length > 0 ? [`requests for Service ${services.sort().join(', ')}`] : []),
  ];
  if (parts.length === 0) return [];
  return [
    {
      ...{ on, field: 'spec', isRefused: false },
      detail: `has been taken over whole, and has lost ${parts.join(' and ')}`,
      remedy: `annotate it with ${splitAnnotation}: "true": it is yours again, with the application split in it`,
    },
  ];
}
