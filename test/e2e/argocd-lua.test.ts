import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ensureArgocdLua } from '../../scripts/e2e-go-tool.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { Verb } from '../../src/api/verb-request.ts';
import { argocdLines, argocdStatuses } from '../fakes/argocd-statuses.ts';
import { runProgram } from './helm.ts';

interface Question {
  object: KubeObject;
  /** Text of `resource.customizations.health.flagger.app_Canary`; without it Argo CD's bundled script answers. */
  health?: string;
  /** Text of `resource.customizations.actions.flagger.app_Canary`. */
  actions?: string;
  /** Name of the action to run. */
  action?: string;
}

interface Answer {
  health: { status?: string; message?: string; error?: string };
  actions?: { name: string; disabled?: boolean }[];
  changed?: KubeObject;
  error?: string;
}

const file = join(import.meta.dirname, '..', '..', 'examples', 'argocd', 'argocd-cm.yaml');
const { data } = parse(readFileSync(file, 'utf8')) as { data: Record<string, string> };
const health = data['resource.customizations.health.flagger.app_Canary'] ?? '';
const actions = data['resource.customizations.actions.flagger.app_Canary'] ?? '';
const enabled = ({ actions: all = [] }: Answer): string[] => all.flatMap(({ name, disabled }) => (disabled ? [] : [name])).toSorted();

describe('the ConfigMap of the example in Argo CD’s own virtual machine', () => {
  const statuses = argocdStatuses();
  let program: string;
  beforeAll(async () => {
    program = await ensureArgocdLua();
  }, 900_000);
  const askAll = async (questions: readonly Question[]): Promise<Answer[]> => {
    const { code, said, complained } = await runProgram(program, [], {}, questions.map((one) => JSON.stringify(one)).join('\n'));
    expect([code, complained]).toEqual([0, '']);
    return said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer);
  };

  it('says of each recorded status what the Lua of npm test says, and offers the same actions', async () => {
    const answers = await askAll(statuses.map(({ object }) => ({ object, health, actions })));
    expect(answers.filter((one) => one.error !== undefined || one.health.error !== undefined)).toEqual([]);
    const lines = answers.map((one, index) => argocdLines(statuses[index]?.name ?? '', one.health, enabled(one)));
    await expect(lines.join('')).toMatchFileSnapshot('../golden/argocd/health.txt');
    for (const { actions: all = [] } of answers) expect(all.map(({ name }) => name).toSorted()).toEqual(Verb.options.toSorted());
  });

  it('the script that Argo CD brings with it does not know four of the phases', async () => {
    const phases = ['Initializing', 'Waiting', 'WaitingPromotion', 'Terminated'];
    const { object } = statuses.find(({ name }) => name === 'status new') ?? {};
    const answers = await askAll(
      phases.map((phase) => ({ object: { ...object, status: { phase, canaryWeight: 0, conditions: [] } } as unknown as KubeObject })),
    );
    expect(answers.map((one) => one.health.status)).toEqual(phases.map(() => 'Unknown'));
  });

  it('an action changes nothing of a Canary but the request, also where it has empty objects, lists and large numbers', async () => {
    const offered = await askAll(statuses.map(({ object }) => ({ object, actions })));
    const strange = { empty: {}, none: [], large: 9_007_199_254_740_991 };
    const questions = statuses.flatMap(({ object }, index) =>
      enabled(offered[index] as Answer).map((action) => ({
        object: { ...object, spec: { ...(object.spec as object), ...strange } },
        actions,
        action,
      })),
    );
    expect(new Set(questions.map(({ action }) => action))).toEqual(new Set(Verb.options));
    for (const [index, { changed, error }] of (await askAll(questions)).entries()) {
      const { object, action } = questions[index] ?? {};
      const annotations = { 'serin.dev/request': expect.stringContaining(`${action} argocd-${action}-`) };
      expect([error, changed]).toEqual([undefined, { ...object, metadata: { ...object?.metadata, annotations } }]);
    }
  });

  it('an action that the state does not allow is an error, which names the verb and the Canary', async () => {
    const { object } = statuses.find(({ name }) => name === 'phase Progressing') ?? {};
    const [answer] = await askAll([{ object: object as KubeObject, actions, action: 'undo' }]);
    expect([answer?.error, answer?.changed]).toEqual([expect.stringMatching(/in no state for undo.*serin status podinfo/), undefined]);
  });
});
