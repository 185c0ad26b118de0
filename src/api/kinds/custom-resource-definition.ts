import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

export interface CustomResourceDefinition extends KubeObject {
  kind: 'CustomResourceDefinition';
  spec: {
    group: string;
    names: { kind: string; plural: string; [field: string]: unknown };
    scope: string;
    versions: CustomResourceVersion[];
    [field: string]: unknown;
  };
  status?: { storedVersions?: string[]; [field: string]: unknown };
}
export const asCustomResourceDefinition = kindReader<CustomResourceDefinition>('CustomResourceDefinition');

export interface CustomResourceVersion {
  name: string;
  served: boolean;
  storage: boolean;
  schema?: { openAPIV3Schema?: Record<string, unknown> };
  [field: string]: unknown;
}
