import { error } from '../../../api/finding.ts';
import { names } from '../../../api/names.ts';
import { unfitService } from '../../../routers/service-fit.ts';
import { findItem, perCanary } from '../manifests.ts';

/** Services that would lose their endpoints, by the controller's check before it writes (I14). A Service that exists is assumed to serve. */
export const services = perCanary(({ canary, namespace, place }, manifests) => {
  const { kind, name } = canary.spec.targetRef;
  if (!place || (kind !== 'Deployment' && kind !== 'DaemonSet')) return [];
  const pods = findItem(manifests, { kind, group: 'apps', name, namespace })?.object;
  const apex = findItem(manifests, { kind: 'Service', group: '', name: names(canary).apexService, namespace })?.object;
  const unfit = unfitService(canary, { pods, current: { ...(apex && { apex }) } });
  return unfit ? [error(unfit.path, unfit.message)] : [];
});
