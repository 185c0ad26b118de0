import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { approvedPhases, rightOf } from '../scripts/admission/request-policy.ts';
import { requestPolicyObjects } from '../scripts/kustomize/manifests.ts';
import { crds } from '../src/api/crds.ts';
import { refOf } from '../src/api/kube-object.ts';
import { requestAnnotation } from '../src/api/names.ts';
import { startEmbeddedCluster } from '../src/embedded/cluster.ts';
import { isNotFound } from '../src/kube/errors.ts';
import { aCanary } from './fakes/world.ts';
import { eventually } from './scenarios/eventually.ts';

const verbsPage = readFileSync(join(import.meta.dirname, '..', 'docs', 'verbs.md'), 'utf8');

it('docs/verbs.md says which verb each request takes, and where approve is enough', () => {
  const rows = verbsPage.split('\n').flatMap((line) => {
    const [, requests = '', takes = ''] = /^\| ([a-z, ]+) \| (`[^|]+) \|$/.exec(line) ?? [];
    return requests === '' ? [] : [{ requests: requests.split(', '), right: /^`([a-z]+)`/.exec(takes)?.[1] }];
  });
  expect(Object.fromEntries(rows.flatMap(({ requests, right }) => requests.map((verb) => [verb, right])))).toEqual(rightOf);
  expect(verbsPage).toContain(`in the phases ${approvedPhases.join(' and ')}`);
});

it('the embedded API server stores the policy of requests unmodified, and enforces it for no user', async () => {
  const { cluster, stop } = await startEmbeddedCluster();
  onTestFinished(() => stop());
  for (const object of [...crds(), ...requestPolicyObjects()]) await cluster.apply(object);
  for (const object of requestPolicyObjects()) expect(await cluster.get(refOf(object))).toMatchObject({ ...object });
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'test' } });
  const { spec, apiVersion, kind }: ReturnType<typeof aCanary> = JSON.parse(JSON.stringify(aCanary({ stepWeight: 50 })));
  const metadata = { name: 'podinfo', namespace: 'test', annotations: { [requestAnnotation]: 'nonsense' } };
  // The definition exists for some time before it is served.
  const stored = await eventually('Canaries are served', async () => {
    try {
      return await cluster.create({ apiVersion, kind, metadata, spec });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  });
  expect(stored?.metadata.annotations).toEqual(metadata.annotations);
});
