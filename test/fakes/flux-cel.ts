import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Environment } from '@marcbachmann/cel-js';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';

/** Expressions of `spec.healthCheckExprs` of a Kustomization. */
export interface FluxExpressions {
  current: string;
  inProgress?: string;
  failed?: string;
}

/** Those of the example, without the kind. */
export function fluxExpressions(): FluxExpressions {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'gitops', 'flux', 'kustomization.yaml'), 'utf8');
  const { spec } = parse(text) as { spec: { healthCheckExprs: [FluxExpressions & { apiVersion: string; kind: string }] } };
  const [{ apiVersion, kind, ...expressions }] = spec.healthCheckExprs;
  if (apiVersion !== 'flagger.app/v1beta1' || kind !== 'Canary') throw new Error(`of ${apiVersion} ${kind}`);
  return expressions;
}

/** As Flux's evaluator decides, which test/e2e/gitops-status.test.ts runs. Where an expression has no value Flux takes the status for unknown. */
export function fluxStatus({ inProgress, failed, current }: FluxExpressions, object: KubeObject): string {
  const { observedGeneration } = (object.status ?? {}) as { observedGeneration?: number };
  if (observedGeneration !== undefined && observedGeneration !== object.metadata.generation) return 'InProgress';
  const environment = new Environment({ unlistedVariablesAreDyn: true });
  const isTrue = (expression = 'false') => environment.evaluate(expression, { ...object }) === true;
  try {
    if (isTrue(inProgress)) return 'InProgress';
    if (isTrue(failed)) return 'Failed';
    return isTrue(current) ? 'Current' : 'InProgress';
  } catch {
    return 'Unknown';
  }
}
