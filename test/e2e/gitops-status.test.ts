import { beforeAll, describe, expect, it } from 'vitest';
import { ensureGitopsStatus } from '../../scripts/e2e-gitops-status.ts';
import { argocdActions, argocdHealth, argocdVerbs } from '../../scripts/gitops/argocd.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { fluxExpressions } from '../fakes/flux-cel.ts';
import { argocdLines, gitopsStatuses } from '../fakes/gitops-statuses.ts';
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

  it('Argo CD says of each recorded status what the Lua of npm test says, and offers the same actions', async () => {
    const statuses = gitopsStatuses();
    const answers = askGitops(
      program,
      statuses.map(({ object }) => ({ object, health: argocdHealth(), actions: argocdActions() })),
    );
    expect(answers.filter(({ error, health }) => error !== undefined || health.error !== undefined)).toEqual([]);
    const lines = answers.map(({ health, actions = [] }, index) => {
      const offered = actions.filter(({ disabled }) => disabled !== true).map(({ name }) => name);
      return argocdLines(statuses[index]?.name ?? '', health, offered.toSorted());
    });
    await expect(lines.join('')).toMatchFileSnapshot('../golden/gitops/argocd.txt');
    for (const { actions = [] } of answers) expect(actions.map(({ name }) => name).toSorted()).toEqual([...argocdVerbs].toSorted());
  });

  it('Flux says of each recorded status what the CEL of npm test says', async () => {
    const statuses = gitopsStatuses();
    const answers = askGitops(
      program,
      statuses.map(({ object }) => ({ object, healthCheckExprs: fluxExpressions() })),
    );
    const lines = statuses.map(({ name }, index) => {
      const { status, error } = answers[index]?.flux ?? {};
      return `${name}: ${error === undefined ? status : 'Unknown'}\n`;
    });
    await expect(lines.join('')).toMatchFileSnapshot('../golden/gitops/flux.txt');
  });

  it('an action changes nothing of a Canary but the request, also where it has empty objects, lists and large numbers', () => {
    const statuses = gitopsStatuses();
    const offered = askGitops(
      program,
      statuses.map(({ object }) => ({ object, actions: argocdActions() })),
    );
    const questions = statuses.flatMap(({ object }, index) =>
      (offered[index]?.actions ?? [])
        .filter(({ disabled }) => disabled !== true)
        .map(({ name }) => ({
          object: { ...object, spec: { ...(object.spec as object), empty: {}, none: [], large: 9_007_199_254_740_991 } },
          name,
        })),
    );
    expect(questions.length).toBeGreaterThan(100);
    const answers = askGitops(
      program,
      questions.map(({ object, name }) => ({ object, actions: argocdActions(), action: name })),
    );
    for (const [index, { changed, error }] of answers.entries()) {
      const object = questions[index]?.object;
      const request = { 'serin.dev/request': expect.stringContaining(' argocd-') };
      expect([error, changed]).toEqual([undefined, { ...object, metadata: { ...object?.metadata, annotations: request } }]);
    }
  });
});
