import type { ServicePort, ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { fieldManager } from '../../api/names.ts';
import { entriesOf } from '../../kube/taken-over-fields.ts';
import { portKey } from '../../routers/ports.ts';

/** Keys of the ports that only Serin has written, by the server's record. */
export function ownPorts(service: KubeObject): string[] {
  const { ports = [] } = specOf<ServiceSpec>(service);
  const isOurs = (one: ServicePort) => {
    const managers = managersOf(service, one);
    return managers.length > 0 && managers.every((manager) => manager === fieldManager);
  };
  return ports.filter(isOurs).map(portKey);
}

function managersOf(service: KubeObject, one: ServicePort): string[] {
  return entriesOf(service).flatMap(({ manager = '', fieldsV1 }) => {
    const ports = (fieldsV1 as { 'f:spec'?: { 'f:ports'?: Record<string, unknown> } } | undefined)?.['f:spec']?.['f:ports'] ?? {};
    const key = JSON.stringify({ port: one.port, protocol: one.protocol ?? 'TCP' });
    return `k:${key}` in ports ? [manager] : [];
  });
}
