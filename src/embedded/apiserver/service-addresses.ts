import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from './json.ts';

/** Hands out the addresses of Services. Nothing ever dials them: the mesh routes by name. */
export class ServiceAddresses {
  #nextIp = 1;

  allocate(object: KubeObject): void {
    const { spec } = object;
    if (!isRecord(spec)) return;
    object.status ??= { loadBalancer: {} };
    if (spec.type === 'ExternalName') return;
    if (!spec.clusterIP) {
      this.#nextIp += 1;
      spec.clusterIP = `10.96.${Math.floor(this.#nextIp / 250)}.${(this.#nextIp % 250) + 1}`;
    }
    spec.clusterIPs ??= [spec.clusterIP];
  }
}

/** A write that leaves the address out keeps it. */
export function keepClusterIp(next: KubeObject, live: KubeObject): void {
  if (!isRecord(next.spec) || next.spec.type === 'ExternalName') return;
  if (!next.spec.clusterIP) next.spec.clusterIP = live.spec?.clusterIP;
  next.spec.clusterIPs ??= live.spec?.clusterIPs;
  for (const field of ['clusterIP', 'clusterIPs']) if (next.spec[field] === undefined) delete next.spec[field];
}
