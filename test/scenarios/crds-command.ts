import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';
import { crds } from '../../src/api/crds.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { program } from '../fakes/program.ts';
import { raw } from '../fakes/raw.ts';
import { until } from './until.ts';

const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'canaries.flagger.app' };

interface Place {
  cluster: KubeCluster;
  /** Kubeconfig of a user who may write definitions. */
  kubeconfigFile: string;
}

/** `serin crds`, one command after another, on a cluster without definitions of ours. */
export function describeCrdsCommand(placeOf: () => Place): void {
  const serin = (verb: string): Promise<{ code: number; said: string; complained: string }> =>
    new Promise((resolve) => {
      const args = [program(), 'crds', verb, '--kubeconfig', placeOf().kubeconfigFile];
      execFile(process.execPath, args, (error, said, complained) =>
        resolve({ code: error === null ? 0 : Number(error.code), said, complained }),
      );
    });
  const canary = (): KubeObject => {
    const found = crds().find(({ metadata }) => metadata.name === ref.name);
    if (!found) throw new Error('there is a definition of Canaries');
    return found;
  };

  it('serin crds diff names what is missing; apply makes it, and makes it once', async () => {
    const before = await serin('diff');
    expect(before).toMatchObject({ code: 1, complained: '' });
    expect(before.said).toContain('canaries.flagger.app: is not in the cluster');
    expect(await serin('apply')).toMatchObject({ code: 0, said: expect.stringContaining('canaries.flagger.app created') });
    const { cluster } = placeOf();
    await until(cluster, ref, 'is established', (now) =>
      raw(now)?.status?.conditions?.some(
        ({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True',
      ),
    );
    expect(await serin('diff')).toEqual({
      code: 0,
      said: 'canaries.flagger.app: the same\nmetrictemplates.flagger.app: the same\nalertproviders.flagger.app: the same\n',
      complained: '',
    });
    const made = (await cluster.get(ref))?.metadata.resourceVersion;
    expect((await serin('apply')).said).toContain('canaries.flagger.app unchanged');
    expect((await cluster.get(ref))?.metadata.resourceVersion).toBe(made);
  });

  it('an older definition, by whomever, is brought forward', async () => {
    const { cluster } = placeOf();
    const older = canary();
    delete raw(older).spec.versions[0].schema.openAPIV3Schema.properties.status.properties.release;
    await cluster.apply(older, { fieldManager: 'another-writer' });
    const looked = await serin('diff');
    expect(looked).toMatchObject({ code: 1, said: expect.stringContaining('  + v1beta1 status.release: a field (object)') });
    expect(await serin('apply')).toMatchObject({ code: 0, said: expect.stringContaining('canaries.flagger.app applied') });
    expect((await serin('diff')).code).toBe(0);
  });

  it('a definition with a foreign field or a foreign served version is not modified, and neither are all others', async () => {
    const { cluster } = placeOf();
    const theirs = canary();
    const [version] = raw(theirs).spec.versions;
    version.schema.openAPIV3Schema.properties.spec.properties.own = { type: 'string' };
    raw(theirs).spec.versions.push({ ...structuredClone(version), name: 'v2', storage: false });
    await cluster.apply(theirs, { fieldManager: 'another-writer' });
    const template = { ...ref, name: 'metrictemplates.flagger.app' };
    await cluster.patch(template, { spec: { names: { categories: ['other'] } } });
    const refused = await serin('apply');
    expect(refused.code).toBe(1);
    expect(refused.said).toContain('canaries.flagger.app: v2: is a served version in the cluster, which would be dropped');
    expect(refused.said).toContain('canaries.flagger.app: v1beta1 spec.own: a field (string) in the cluster, which would be dropped');
    expect(refused.said).toContain('Nothing was applied');
    expect(raw(await cluster.get(template))?.spec.names.categories).toEqual(['other']);
    expect(raw(await cluster.get(ref))?.spec.versions).toHaveLength(2);
  });
}
