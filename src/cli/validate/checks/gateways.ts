import { warning } from '../../../api/finding.ts';
import { names } from '../../../api/names.ts';
import { perCanary } from '../manifests.ts';

/** Istio: gateways without the mesh and without hosts, so that only requests for the name of the Service, from outside, are split. */
export const gateways = perCanary(({ canary, provider }) => {
  const { gateways = [], hosts = [], delegation } = canary.spec.service;
  if (gateways.length === 0 || gateways.includes('mesh') || hosts.length > 0 || delegation) return [];
  if (provider !== undefined && provider !== 'istio') return [];
  const host = names(canary).apexService;
  const message = `has neither mesh nor hosts beside it: requests inside the mesh are not split, and from outside only those for the host ${host}; add mesh, or set service.hosts`;
  return [warning('spec.service.gateways', message)];
});
