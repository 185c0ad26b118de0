import type { CanaryStatus } from '../../src/api/canary-status.ts';
import { endingCodes, waitCodes } from '../../src/api/codes/codes.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { attentionOf } from '../../src/controller/status/attention.ts';
import { causesOfEnds, endedBy, endedByCause } from './ended-releases.ts';
import { snapshotIn } from './stalled-release.ts';
import { worldsByPhase } from './viewed-releases.ts';
import { waitingFor } from './waiting-releases.ts';
import { aCanary, World } from './world.ts';

/** A Canary as another program reads it. */
export interface ArgocdStatus {
  name: string;
  object: KubeObject;
  /** Absent if the status is not of the engine. */
  world?: World;
}

const recorded = (name: string, world: World): ArgocdStatus => {
  const { raw } = snapshotIn({ world });
  const status = raw.status as CanaryStatus | undefined;
  const reason = status && attentionOf(status);
  return { name, world, object: reason === undefined ? raw : { ...raw, status: { ...status, reason } } };
};

const asIs = (name: string, fields: object): ArgocdStatus => ({
  name,
  object: {
    ...{ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: 'podinfo', namespace: 'test', generation: 1 } },
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' } },
    ...fields,
  },
});
const metadata = { name: 'podinfo', namespace: 'test', generation: 2 };
const promoted = (status: string, reason: string, message: string) => ({ type: 'Promoted', status, reason, message });

/** Statuses that other controllers and versions write, and fields that are missing or of another type. */
const others: readonly ArgocdStatus[] = [
  asIs('new', {}),
  asIs('new, suspended', { spec: { suspend: true } }),
  asIs('of a refused spec before the first release', {
    status: {
      phase: '',
      conditions: [{ type: 'Accepted', status: 'False', reason: 'InvalidSpec', message: 'spec.targetRef: is missing' }],
    },
  }),
  asIs('of a target that does not exist before the first release', { status: { phase: 'Initializing', reason: 'TargetNotFound' } }),
  asIs('of Flagger, at rest', {
    status: {
      ...{ phase: 'Succeeded', canaryWeight: 0, failedChecks: 0, iterations: 0, lastAppliedSpec: '5f4' },
      conditions: [promoted('True', 'Succeeded', 'Canary analysis completed successfully, promotion finished.')],
    },
  }),
  asIs('of Flagger, failed, without conditions', { status: { phase: 'Failed', canaryWeight: 0 } }),
  asIs('left to another controller', {
    metadata: { ...metadata, annotations: { 'serin.dev/left-to-another-controller': '2026-12-01T00:00:00Z' } },
    status: { phase: 'Progressing' },
  }),
  asIs('older than the spec', { metadata, status: { phase: 'Succeeded', observedGeneration: 1 } }),
  asIs('as new as the spec', { metadata, status: { phase: 'Succeeded', observedGeneration: 2 } }),
  asIs('of an unknown phase', { status: { phase: 'Resting', conditions: [] } }),
  asIs('terminated', { status: { phase: 'Terminated' } }),
  asIs('at rest, while an object cannot be written', { status: { phase: 'Initialized', reason: 'Forbidden' } }),
  asIs('of other types', {
    metadata: { ...metadata, annotations: [] },
    spec: [],
    status: { phase: 7, reason: {}, conditions: ['a', { message: 5 }], release: { blockers: ['a'], requests: [[]], paused: null } },
  }),
];

/** A status of each phase, wait, end and cause, and others. */
export const argocdStatuses = (): ArgocdStatus[] => [
  ...Object.entries(worldsByPhase).map(([phase, make]) => recorded(`phase ${phase}`, make())),
  ...waitCodes.map((code) => recorded(`wait ${code}`, waitingFor(code).world)),
  ...endingCodes.map((code) => recorded(`end ${code}`, endedBy(code).world)),
  ...causesOfEnds.map((cause) => recorded(`cause ${cause}`, endedByCause(cause).world)),
  recorded('first step', new World(aCanary()).begin()),
  ...others.map((one) => ({ ...one, name: `status ${one.name}` })),
];

/** Part of test/golden/argocd/health.txt. */
export const argocdLines = (name: string, { status, message }: { status?: string; message?: string }, offered: readonly string[]): string =>
  `${name}: ${status} [${offered.join(' ')}]\n  ${message}\n`;
