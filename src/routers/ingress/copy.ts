import type { Canary } from '../../api/canary.ts';
import type { IngressRule } from '../../api/kinds/ingress.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { defined } from '../../base/defined.ts';
import { type CopyRefs, foundOf } from '../copied-object.ts';
import { RoutingError } from '../routing-error.ts';
import { ingressRef, leadsTo } from './ingress-rules.ts';

const MOST_NAME = 253;

/** The user's Ingress and the copy of it that is ours; neither without `spec.ingressRef`. */
export function copyRefs(canary: Canary): CopyRefs {
  const { namespace } = canary.metadata;
  const { ingressCopy } = names(canary);
  if (!canary.spec.ingressRef || !ingressCopy) return {};
  return { sourceRef: ingressRef(canary.spec.ingressRef.name, namespace), copyRef: ingressRef(ingressCopy, namespace) };
}

/** The copy adds `-canary` to the name, which must still fit into 253 characters. */
export function refusesName(canary: Canary): RoutingError | undefined {
  const { ingressCopy = '' } = names(canary);
  return ingressCopy.length > MOST_NAME
    ? RoutingError.at('ingressRef.name', `has more than ${MOST_NAME - '-canary'.length} characters`)
    : undefined;
}

/** Only the paths of the application: a path to anything else would make that Service a part of the release. */
export function copySpec(base: KubeObject, rules: readonly IngressRule[]): object {
  const { ingressClassName, tls } = specOf<{ ingressClassName: string; tls: object[] }>(base);
  return defined({ ingressClassName, tls: structuredClone(tls), rules });
}

/** Missing parts of the user's Ingress: an Ingress that leads nowhere sends no request to a copy of it. */
export function missingSource(canary: Canary, current: readonly KubeObject[]): RoutingError | undefined {
  const { source } = foundOf(copyRefs(canary), current);
  return source && leadsTo(source, names(canary).apexService) ? undefined : nothingToCopy(canary, source);
}

/** Error that names the missing source of the copy. */
export function nothingToCopy(canary: Canary, source: KubeObject | undefined): RoutingError {
  const name = canary.spec.ingressRef?.name;
  if (name === undefined) return new RoutingError('spec.ingressRef is missing: name the Ingress of the application', 'ingressRef');
  const { apexService } = names(canary);
  const problem = source
    ? `no path of Ingress ${name} leads to Service ${apexService}: add one, or correct spec.ingressRef or spec.service.name`
    : `Ingress ${name} is not found: create it, or correct spec.ingressRef`;
  return new RoutingError(problem, 'ingressRef');
}
