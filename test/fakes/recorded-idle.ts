import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';

/** Objects that an idle controller reads, or has left behind. */
export const RECORDED_KINDS = [
  { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'apps/v1', kind: 'ControllerRevision' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
  { apiVersion: 'serving.knative.dev/v1', kind: 'Service' },
  { apiVersion: 'serving.knative.dev/v1', kind: 'Revision' },
  { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService' },
  { apiVersion: 'networking.istio.io/v1beta1', kind: 'DestinationRule' },
  { apiVersion: 'split.smi-spec.io/v1alpha2', kind: 'TrafficSplit' },
] as const;

const root = new URL('../vectors/upgrade/', import.meta.url);

/** The objects of each recorded case of a version, as `0.1.0/deployment-istio`. */
export function recordedIdle(version: string): Readonly<Record<string, readonly KubeObject[]>> {
  const folder = new URL(`${version}/`, root);
  const cases = readdirSync(folder)
    .sort()
    .map((file) => {
      const documents = parseAllDocuments(readFileSync(new URL(file, folder), 'utf8'));
      return [`${version}/${file.replace('.yaml', '')}`, [...documents].map((document) => document.toJS() as KubeObject)] as const;
    });
  return Object.fromEntries(cases);
}
