import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { workloadFor } from '../../../src/workloads/index.ts';
import { deepFreeze, goldenFile, toYaml } from '../routers-cases.ts';
import { aCanaryFor } from './kinds.ts';

interface GoldenCase {
  note: string;
  target: KubeObject;
  /** The primary before a promotion: then the patch of it is rendered too. */
  primary?: KubeObject;
  spec?: object;
  selectorLabels?: string[];
  includeLabelPrefix?: string[];
}

const folders = ['core-service', 'daemon-set', 'deployment', 'knative'];
const root = new URL('../../golden/workloads/', import.meta.url);

function casesIn(folder: string): (GoldenCase & { name: string })[] {
  return readdirSync(new URL(`${folder}/`, root))
    .filter((file) => file.endsWith('.input.yaml'))
    .sort()
    .map((file) => ({ ...parse(readFileSync(new URL(`${folder}/${file}`, root), 'utf8')), name: file.replace('.input.yaml', '') }));
}

describe.each(folders)('golden files of %s', (folder) => {
  it.each(casesIn(folder))(`${folder}: $name: $note`, async (input) => {
    const { name, target, primary, spec, selectorLabels = ['app', 'name', 'app.kubernetes.io/name'], includeLabelPrefix = [] } = input;
    const canary = aCanaryFor({ apiVersion: target.apiVersion, kind: target.kind, name: target.metadata.name }, spec);
    const workload = workloadFor(canary.spec.targetRef);
    if ('unsupported' in workload) throw new Error(workload.unsupported);
    deepFreeze([target, primary, canary]);
    const selector = workload.selectors({ target }, selectorLabels);
    if ('problem' in selector) throw new Error(selector.problem);
    const options = { selector, selectorLabels, includeLabelPrefix, revision: 's1:revision', replicas: workload.replicas(target) };
    const documents: object[] = [{ created: workload.renderPrimary(canary, target, options) }];
    if (workload.renderCanary) documents.push({ canary: { ...workload.renderCanary(canary, target) } });
    if (primary) documents.push({ promoted: workload.promotionPatch(primary, workload.primaryTemplate(canary, target, options)) });
    await expect(toYaml(documents)).toMatchFileSnapshot(goldenFile(`workloads/${folder}`, name));
  });
});
