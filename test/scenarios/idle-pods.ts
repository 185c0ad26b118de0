import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { Lab } from './adversity/lab.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { aCanary, aContainer, aDeployment } from './troubles/objects.ts';

const NAMESPACE = 'idle-pods';
const ZERO = 'flagger.app/scale-to-zero';
/** Longer than the first three corrections of a fight take. */
const STILL_MS = 5_000;

interface Kind {
  name: string;
  target: KubeObject;
  /** Change that Git applies while no release is in progress. */
  scaledUp: Record<string, unknown>;
  /** Pods of the primary after the next release: the number in Git. */
  primaryReplicas?: number;
  isAtZero(target: KubeObject | undefined): boolean | undefined;
}

const asReplicas = {
  scaledUp: { spec: { replicas: 1 } },
  primaryReplicas: 1,
  isAtZero: (target: KubeObject | undefined) => raw(target)?.spec.replicas === 0,
};

function aDaemonSet(name: string): KubeObject {
  const { metadata, spec } = raw(aDeployment(NAMESPACE, name));
  const { replicas: _, ...rest } = spec;
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: rest };
}

function ofTwo(name: string): KubeObject {
  const deployment = aDeployment(NAMESPACE, name);
  return { ...deployment, spec: { ...raw(deployment).spec, replicas: 2 } };
}

function readingSettings(name: string): KubeObject {
  const deployment = ofTwo(name);
  raw(deployment).spec.template.spec.containers = [{ ...aContainer('1'), envFrom: [{ configMapRef: { name: 'settings' } }] }];
  return deployment;
}

const kinds: readonly Kind[] = [
  {
    name: 'plain',
    target: ofTwo('plain'),
    ...asReplicas,
  },
  { name: 'settled', target: readingSettings('settled'), ...asReplicas },
  {
    name: 'agent',
    target: aDaemonSet('agent'),
    scaledUp: { spec: { template: { spec: { nodeSelector: { [ZERO]: null } } } } },
    isAtZero: (target) => raw(target)?.spec.template.spec.nodeSelector?.[ZERO] === 'true',
  },
];

/** Targets that Git scales up while no release is in progress; the next release goes over their idle pods. */
export function describeIdlePods(environmentOf: () => Environment): void {
  describe('pods that another writer gives a resting target', () => {
    it('E90, E91: they stay, with one event and without a fight; the next release is like any other, and ends with the target at zero', async () => {
      const lab = await Lab.open(environmentOf(), { namespace: NAMESPACE, scaleDownDelay: '500ms', interval: '500ms' });
      const { cluster } = lab;
      const refOf = ({ target, name }: Kind) => ({ apiVersion: 'apps/v1', kind: target.kind, name, namespace: NAMESPACE });
      const canaryOf = ({ name }: Kind) => ({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name, namespace: NAMESPACE });
      const each = <T>(act: (kind: Kind) => Promise<T>) => Promise.all(kinds.map(act));
      const becomesIdle = (phase: string) =>
        each(async (kind) => {
          await lab.until(
            canaryOf(kind),
            `is ${phase}`,
            (now) => raw(now)?.status?.phase === phase && raw(now).status.release?.step === 'resting',
          );
          await lab.until(refOf(kind), 'is at zero', kind.isAtZero);
        });
      const eventsOf = async (kind: Kind) =>
        (await cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: NAMESPACE })).items.filter(
          ({ reason, involvedObject }: Raw) => reason === 'TargetScaledUp' && involvedObject.name === kind.name,
        );
      try {
        await cluster.create({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'settings', namespace: NAMESPACE },
          data: { a: '1' },
        });
        await each(async ({ name, target }) => {
          await cluster.create(target);
          const targetRef = { apiVersion: 'apps/v1', kind: target.kind, name };
          await cluster.create(aCanary(NAMESPACE, name, { interval: '500ms', metrics: [] }, { targetRef }));
        });
        lab.startController();
        await becomesIdle('Initialized');
        await lab.settled(STILL_MS);
        const before = lab.requests();
        await each((kind) => cluster.patch(refOf(kind), kind.scaledUp));
        await each((kind) =>
          lab.until(canaryOf(kind), 'says that its target was scaled up', (now) =>
            raw(now)?.status?.conditions?.some(({ type }: { type: string }) => type === 'TargetScaledUp'),
          ),
        );
        await each((kind) =>
          eventually(
            'an event says it',
            () => eventsOf(kind),
            (events) => events.length > 0,
          ),
        );
        await lab.settled(STILL_MS);
        expect(
          await each(async (kind) => [kind.name, kind.isAtZero(await cluster.get(refOf(kind))), (await eventsOf(kind)).length]),
        ).toEqual(kinds.map(({ name }) => [name, false, 1]));
        const sent = Object.keys(lab.requestsSince(before));
        expect(sent.filter((what) => /deployments|daemonsets/.test(what))).toEqual([]);
        await cluster.patch({ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: NAMESPACE }, { data: { a: '2' } });
        await each((kind) => {
          const containers = [{ ...raw(kind.target).spec.template.spec.containers[0], image: 'web:2' }];
          return cluster.patch(refOf(kind), { spec: { template: { spec: { containers } } } });
        });
        await becomesIdle('Succeeded');
        const promoted = await each(async (kind) => {
          const primary = await cluster.get({ ...refOf(kind), name: `${kind.name}-primary` });
          return [raw(primary)?.spec.template.spec.containers[0].image, raw(primary)?.spec.replicas];
        });
        expect(promoted).toEqual(kinds.map(({ primaryReplicas }) => ['web:2', primaryReplicas]));
        await each((kind) =>
          lab.until(canaryOf(kind), 'says nothing of it any more', (now) =>
            raw(now)?.status?.conditions?.every(({ type }: { type: string }) => !['TargetScaledUp', 'Contested'].includes(type)),
          ),
        );
      } finally {
        await lab.close();
      }
    });
  });
}
