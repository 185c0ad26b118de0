import { error } from '../../../api/finding.ts';
import { names } from '../../../api/names.ts';
import { factsOf } from '../../../api/providers.ts';
import { leadsTo } from '../../../routers/ingress/ingress-rules.ts';
import { findItem, findingOn, isAbsent, type ManifestCheck } from '../manifests.ts';

/** The Ingress that some providers copy must lead to the apex Service. */
export const ingresses: ManifestCheck = (manifests) =>
  manifests.canaries.flatMap((item) => {
    const { canary, provider, namespace, place } = item;
    const ref = canary.spec.ingressRef;
    if (!ref || !place || (provider && !factsOf(provider).reads.includes('ingressRef'))) return [];
    const { apexService } = names(canary);
    const ingress = findItem(manifests, { kind: 'Ingress', group: 'networking.k8s.io', name: ref.name, namespace });
    if (!ingress) {
      const absent = error('spec.ingressRef.name', `is ${ref.name}, but the Ingress was not found: create it, or correct the name`);
      return findingOn(item, isAbsent(manifests, 'Ingress') ? [absent] : []);
    }
    if (leadsTo(ingress.object, apexService)) return [];
    const message = `has no path that leads to Service ${apexService}, the apex of Canary ${item.name}: make it the backend of a path, or correct ingressRef or service.name of the Canary`;
    return ingress.place
      ? findingOn(ingress, [error('spec.rules', message)])
      : findingOn(item, [error('spec.ingressRef.name', `Ingress ${ref.name} ${message}`)]);
  });
