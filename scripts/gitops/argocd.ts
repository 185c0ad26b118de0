import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';

const folder = join(import.meta.dirname, '..', '..', 'examples', 'gitops', 'argocd');

/** Verbs that are an action of Argo CD. A restart changes nothing that Argo CD shows. */
export const argocdVerbs = ['promote', 'rollback', 'pause', 'resume', 'retry', 'undo'] as const;

/** Text of `resource.customizations.health.flagger.app_Canary`. */
export const argocdHealth = (): string => readFileSync(join(folder, 'health.lua'), 'utf8');

/** Lua of `discovery.lua` and of each action: Argo CD runs each by itself, so that each has all functions. */
export function argocdScripts(): { discovery: string; actions: Readonly<Record<string, string>> } {
  const functions = readFileSync(join(folder, 'actions.lua'), 'utf8');
  const actions = argocdVerbs.map((verb) => [verb, `${functions}\nreturn request("${verb}")\n`]);
  return { discovery: `${functions}\nreturn offered()\n`, actions: Object.fromEntries(actions) as Record<string, string> };
}

/** Text of `resource.customizations.actions.flagger.app_Canary`. */
export function argocdActions(): string {
  const { discovery, actions } = argocdScripts();
  const definitions = Object.entries(actions).map(([name, script]) => ({ name, 'action.lua': script }));
  return stringify({ 'discovery.lua': discovery, definitions }, { lineWidth: 0 });
}

/** The part of the ConfigMap argocd-cm. */
export const argocdConfigMap = (): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'argocd-cm',
    namespace: 'argocd',
    labels: { 'app.kubernetes.io/name': 'argocd-cm', 'app.kubernetes.io/part-of': 'argocd' },
  },
  data: {
    'resource.customizations.health.flagger.app_Canary': argocdHealth(),
    'resource.customizations.actions.flagger.app_Canary': argocdActions(),
  },
});
