import { crds } from '../../api/crds.ts';
import { asCustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { digest } from '../../workloads/digest.ts';
import { compareDefinitions } from '../crds/compare-definitions.ts';
import type { ReportReader } from './report-reader.ts';

/** The cluster's CustomResourceDefinitions: their versions, and where their schemas differ from this version's. */
export async function readDefinitions(cluster: Pick<Cluster, 'get'>, reader: Pick<ReportReader, 'attempt'>): Promise<object[]> {
  const looks = crds().map(async (ours): Promise<object> => {
    const { name } = ours.metadata;
    // Unredacted: a schema has fields that are called `token`, and nothing in them.
    const answer = await reader.attempt(`CustomResourceDefinition ${name}`, async () => ({ live: await cluster.get(refOf(ours)) }));
    if (answer === undefined) return { name, read: false, ours: versionsOf(ours) };
    const { live } = answer;
    return live === undefined ? { name, inCluster: false, ours: versionsOf(ours) } : compared(live, ours);
  });
  return Promise.all(looks);
}

function compared(live: KubeObject, ours: KubeObject): object {
  return {
    name: ours.metadata.name,
    inCluster: true,
    created: live.metadata.creationTimestamp,
    managers: managersOf(live.metadata.managedFields),
    stored: asCustomResourceDefinition(live).status?.storedVersions,
    live: versionsOf(live),
    ours: versionsOf(ours),
    differences: compareDefinitions(live, ours).map(({ kind, at, says }) => `${kind}: ${at}: ${says}`),
  };
}

/** `sha256` is that of the schema's canonical JSON. */
function versionsOf(crd: KubeObject): object[] {
  const { versions } = asCustomResourceDefinition(crd).spec;
  return versions.map(({ name, served, storage, schema }) => ({ name, served, storage, sha256: digest(schema) }));
}

function managersOf(managedFields: unknown): string[] {
  const managers = Array.isArray(managedFields) ? managedFields.map((one): unknown => one?.manager) : [];
  return [...new Set(managers.map(String))];
}
