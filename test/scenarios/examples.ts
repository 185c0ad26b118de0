import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { until } from './until.ts';

export const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples');
const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.yaml'));

/** The unmodified files of examples/, applied to a cluster that has the CRDs and nothing else; `apply` takes the path of a file. */
export function describeExamples<S extends Environment>(
  environmentOf: () => S,
  apply: (environment: S, file: string) => Promise<void>,
): void {
  const controllerOf = aController(environmentOf);

  it.each(files)('%s is taken by the API server', (file) => apply(environmentOf(), join(EXAMPLES, file)));

  it('istio-canary.yaml, the first example of the README, is initialized', async () => {
    const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'podinfo', namespace: 'test' };
    const isDone = (phase: unknown) => phase === 'Initialized';
    const end = await until(environmentOf().cluster, canary, 'is initialized', (now) => isDone(raw(now)?.status?.phase));
    expect(raw(end)?.status?.conditions?.[0]?.message, controllerOf().logOf('test/podinfo')).toContain('the primary serves');
  });
}
