import { warning } from '../../../api/finding.ts';
import { servicePorts } from '../../../api/kinds/service.ts';
import { names } from '../../../api/names.ts';
import { isApexService } from '../../../routers/gateway-api/parents.ts';
import { findItem, perCanary } from '../manifests.ts';

/**
 * Gateway API: another port of the apex Service as parent of the route. The route sends requests of all its parents to the port of the Canary, so that clients of
 * the other port get an answer of this one, unless both lead to the same port of the pods.
 */
export const parents = perCanary(({ canary, namespace }, manifests) => {
  const { gatewayRefs = [], port } = canary.spec.service;
  const ports = servicePorts(findItem(manifests, { kind: 'Service', group: '', name: names(canary).apexService, namespace })?.object);
  const podPortOf = (of: number) => ports.filter((one) => one.port === of).map(({ targetPort = of }) => targetPort)[0];
  return gatewayRefs.flatMap((ref, index) => {
    if (ref.port === undefined || ref.port === port || !isApexService(canary, ref)) return [];
    const podPort = podPortOf(ref.port);
    if (podPort !== undefined && podPort === podPortOf(port)) return [];
    const message = `is ${ref.port}, and requests to that port are answered by port ${port} of the Canary: remove the entry, unless both ports of the Service lead to the same port of the pods`;
    return [warning(`spec.service.gatewayRefs[${index}].port`, message)];
  });
});
