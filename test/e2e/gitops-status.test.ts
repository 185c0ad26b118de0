import { beforeAll, describe, expect, it } from 'vitest';
import { ensureGitopsStatus } from '../../scripts/e2e-gitops-status.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { askGitops } from './gitops-status.ts';

const canary = (status?: object): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'shop', namespace: 'test', generation: 2 },
  spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' } },
  ...(status && { status }),
});

describe('what Argo CD, kstatus and Flux say of a Canary', () => {
  let program: string;
  beforeAll(async () => {
    program = await ensureGitopsStatus();
  }, 900_000);

  it('the script that Argo CD brings with it does not know each phase', () => {
    const phases = ['Initializing', 'Waiting', 'WaitingPromotion', 'Terminated'];
    const answers = askGitops(
      program,
      phases.map((phase) => ({ object: canary({ phase, canaryWeight: 0, conditions: [] }) })),
    );
    expect(answers.map(({ health }) => health.status)).toEqual(phases.map(() => 'Unknown'));
  });

  it('kstatus sees nothing of a release without conditions, and follows Ready, Reconciling and Stalled', () => {
    const condition = (type: string, status: string) => ({ type, status, reason: 'Any', message: type });
    const objects = [
      canary({ phase: 'Failed' }),
      canary({ phase: 'Progressing', observedGeneration: 1 }),
      canary({ phase: 'Progressing', observedGeneration: 2, conditions: [condition('Reconciling', 'True')] }),
      canary({ phase: 'Failed', observedGeneration: 2, conditions: [condition('Stalled', 'True')] }),
      canary({ phase: 'Succeeded', observedGeneration: 2, conditions: [condition('Ready', 'True')] }),
    ];
    const answers = askGitops(
      program,
      objects.map((object) => ({ object })),
    );
    expect(answers.map(({ kstatus }) => kstatus.status)).toEqual(['Current', 'InProgress', 'InProgress', 'Failed', 'Current']);
  });

  it('a script and an expression of ours are run, and an error of one is reported', () => {
    const object = canary({ phase: 'Failed' });
    const [ours, wrong] = askGitops(program, [
      {
        object,
        health: 'return {status = "Degraded", message = obj.status.phase}',
        healthCheckExprs: { current: 'status.phase == "Failed"' },
      },
      { object, health: 'return obj.none.none', healthCheckExprs: { current: 'status.none' } },
    ]);
    expect([ours?.health, ours?.flux]).toEqual([{ status: 'Degraded', message: 'Failed' }, { status: 'Current' }]);
    expect([wrong?.health.error, wrong?.flux?.error]).toEqual([
      expect.stringContaining('index a non-table'),
      expect.stringContaining('no such key'),
    ]);
  });
});
