import type { KubeObject, Labels } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

/** Version and kind of the Services of the core API. */
export const SERVICE_KIND = { apiVersion: 'v1', kind: 'Service' } as const;

/** A Service of the core API. */
export interface Service extends KubeObject {
  kind: 'Service';
  spec: ServiceSpec;
}
export const asService = kindReader<Service>('Service');

export interface ServiceSpec {
  ports?: ServicePort[];
  selector?: Labels;
  type?: string;
  clusterIP?: string;
  externalName?: string;
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  publishNotReadyAddresses?: boolean;
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  trafficDistribution?: string;
  [field: string]: unknown;
}

export const servicePorts = (service: KubeObject | undefined): readonly ServicePort[] => (service && asService(service).spec?.ports) ?? [];

export interface ServicePort {
  name?: string;
  port: number;
  protocol?: string;
  appProtocol?: string;
  nodePort?: number;
  targetPort?: number | string;
  [field: string]: unknown;
}
