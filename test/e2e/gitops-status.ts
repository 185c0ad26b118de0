import { spawnSync } from 'node:child_process';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { FluxExpressions } from '../fakes/flux-cel.ts';

export interface GitopsQuestion {
  object: KubeObject;
  /** Text of `resource.customizations.health.flagger.app_Canary`; without it Argo CD's bundled script answers. */
  health?: string;
  /** Text of `resource.customizations.actions.flagger.app_Canary`. */
  actions?: string;
  /** Name of the action to run. */
  action?: string;
  healthCheckExprs?: FluxExpressions;
}

interface Said {
  status?: string;
  message?: string;
  error?: string;
}

export interface GitopsAnswer {
  health: Said;
  kstatus: Said;
  flux?: Said;
  actions?: { name: string; disabled?: boolean }[];
  /** The object as the action returns it. */
  changed?: KubeObject;
  error?: string;
}

/** Answers of Argo CD's virtual machine for Lua, kstatus and Flux's evaluator, in the order of the questions. */
export function askGitops(program: string, questions: readonly GitopsQuestion[]): GitopsAnswer[] {
  const input = questions.map((one) => `${JSON.stringify(one)}\n`).join('');
  const { status, stdout, stderr } = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 64 << 20, timeout: 60_000 });
  if (status !== 0) throw new Error(`gitops-status ended with ${status}: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as GitopsAnswer);
}
