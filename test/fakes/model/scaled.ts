import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { raw } from '../raw.ts';
import { APP, aModelCanary, ModelLab, NAMESPACE, targetRef } from './lab.ts';

export const kedaCrd: KubeObject = parse(readFileSync(new URL('../../fixtures/crds/keda.yaml', import.meta.url), 'utf8'));
export const plan = { stepWeight: 50, maxWeight: 50, interval: '5s' };
export const hpaRef: ObjectRef = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: APP, namespace: NAMESPACE };
export const soRef: ObjectRef = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: APP, namespace: NAMESPACE };
export const ofPrimary = (ref: ObjectRef): ObjectRef => ({ ...ref, name: `${ref.name}-primary` });
export const refTo = ({ apiVersion, kind, name }: ObjectRef, more: object = {}) => ({ autoscalerRef: { apiVersion, kind, name, ...more } });
export const PAUSED = 'autoscaling.keda.sh/paused-replicas';

export const anHpa = (name = APP, spec: object = {}): KubeObject => ({
  ...hpaRef,
  metadata: { name, namespace: NAMESPACE },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
    minReplicas: 2,
    maxReplicas: 10,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }],
    ...spec,
  },
});
export const aScaledObject = (annotations: Record<string, string> = {}, spec: object = {}): KubeObject => ({
  ...soRef,
  metadata: { name: APP, namespace: NAMESPACE, annotations },
  spec: {
    scaleTargetRef: { name: APP },
    minReplicaCount: 2,
    maxReplicaCount: 10,
    triggers: [{ type: 'prometheus', metadata: { query: `rq{app="${APP}"}`, threshold: '5' } }],
    ...spec,
  },
});

export async function aLab({ keda = true } = {}): Promise<ModelLab> {
  const lab = new ModelLab({
    draw: (from, to) => Math.floor((from + to) / 2),
    startUpMs: [400, 600],
    lagMs: [100, 300],
    latencyMs: [4, 6],
    scaleDownDelayMs: 1_000,
  });
  if (keda) lab.server.create(kedaCrd);
  await lab.application();
  lab.server.patch(targetRef, { spec: { replicas: 4 } });
  await lab.pass(2_000);
  return lab;
}

/** The Canary has its primary, and both rest. */
export async function initialized(scaler: KubeObject, more: object = {}, analysis: object = {}): Promise<ModelLab> {
  const lab = await aLab();
  lab.server.create(scaler);
  const ref = { ...scaler, name: scaler.metadata.name } as ObjectRef;
  lab.server.create(aModelCanary({ ...plan, ...analysis }, refTo(ref, more)));
  lab.start();
  expect(await idleIn(lab, 'Initialized')).toBe('Initialized');
  return lab;
}

export async function idleIn(lab: ModelLab, phase: string): Promise<string> {
  await lab.passUntil(() => lab.phase() === phase && raw(lab.canary())?.status?.release?.step === 'resting', 120_000);
  // Raised limits are restored in this time.
  await lab.pass(3_000);
  return lab.phase();
}

export const replicas = (lab: ModelLab, ref = targetRef): number => raw(lab.server.find(ref))?.spec.replicas;
export const annotation = (lab: ModelLab, ref: ObjectRef, key: string) => lab.server.find(ref)?.metadata.annotations?.[key];
export const messagesOf = (lab: ModelLab): string =>
  (raw(lab.canary())?.status?.conditions ?? []).map((one: { message: string }) => one.message).join('\n');
export const order = (lab: ModelLab): string[] =>
  lab.writes.map(({ verb, ref, subresource }) => `${verb} ${ref.kind} ${ref.name}${subresource ? `/${subresource}` : ''}`);
