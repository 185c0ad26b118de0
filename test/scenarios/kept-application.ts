import { waysOn, writeKeptPrimary } from '../../src/api/kept-primary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { keptAnnotation } from '../../src/api/names.ts';
import { renderAnchor } from '../../src/workloads/anchor.ts';
import { aCanary } from '../fakes/world.ts';
import { aDeployment } from './troubles/objects.ts';

/** A Deployment whose Canary was deleted after a failed release, and the record of the primary that serves (I19). */
export function keptApplication(namespace: string, name: string): KubeObject[] {
  const made = aCanary({ stepWeight: 50 });
  const metadata = { ...made.metadata, name, namespace, uid: `uid-of-${name}` };
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name } as const;
  const canary = { ...made, metadata, spec: { ...made.spec, targetRef } };
  const target = `Deployment/${name}`;
  const kept = writeKeptPrimary({
    ...{ primary: `${target}-primary`, target, promoted: 's1:1', unpromoted: 's1:2' },
    since: '2026-11-22T09:30:00Z',
    next: waysOn({ namespace, name }, target),
  });
  const anchor = renderAnchor(canary, {
    canary: { metadata: { name, namespace, uid: metadata.uid }, spec: canary.spec },
    target: { replicas: 1 },
  });
  const withMark = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [keptAnnotation]: kept } },
  });
  return [withMark(anchor), withMark(aDeployment(namespace, name))];
}
