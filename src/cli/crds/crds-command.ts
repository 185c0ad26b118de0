import { crds } from '../../api/crds.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { ExitName } from '../output/exit-codes.ts';
import { type CrdDifference, compareDefinitions } from './compare-definitions.ts';

interface InstalledDefinition {
  ours: KubeObject;
  live: KubeObject | undefined;
  differences: CrdDifference[];
}

type Say = (line: string) => void;

/** Compares the definitions of a cluster with ours, a line a difference. `no` if they differ. */
export async function diffCrds(cluster: Pick<Cluster, 'get'>, say: Say): Promise<ExitName> {
  const definitions = await readDefinitions(cluster);
  for (const definition of definitions) describe(definition, say);
  return definitions.every(isSame) ? 'done' : 'no';
}

/**
 * Brings the definitions of a cluster to ours by server-side apply, either all or none. Refuses with `no` if a field or version that ours do not have would
 * vanish from every object.
 */
export async function applyCrds(cluster: Pick<Cluster, 'get' | 'apply'>, say: Say): Promise<ExitName> {
  const definitions = await readDefinitions(cluster);
  const losing = definitions.filter(({ differences }) => differences.some(({ kind }) => kind === 'lost'));
  for (const { ours, differences } of losing) {
    for (const { kind, at, says } of differences)
      if (kind === 'lost') say(`${ours.metadata.name}: ${at}: ${says} in the cluster, which would be dropped`);
  }
  if (losing.length > 0) {
    say('Nothing was applied: another controller can need these fields. Use a version of Serin whose definitions also have them.');
    return 'no';
  }
  for (const definition of definitions) {
    const { ours, live } = definition;
    if (!isSame(definition)) await cluster.apply(ours);
    say(`${ours.metadata.name} ${live === undefined ? 'created' : isSame(definition) ? 'unchanged' : 'applied'}`);
  }
  return 'done';
}

async function readDefinitions(cluster: Pick<Cluster, 'get'>): Promise<InstalledDefinition[]> {
  return Promise.all(
    crds().map(async (ours) => {
      const live = await cluster.get(refOf(ours));
      return { ours, live, differences: live === undefined ? [] : compareDefinitions(live, ours) };
    }),
  );
}

const isSame = ({ live, differences }: InstalledDefinition): boolean => live !== undefined && differences.length === 0;

const signs = { new: '+', changed: '~', lost: '-' } as const;

function describe({ ours, live, differences }: InstalledDefinition, say: Say): void {
  const { name } = ours.metadata;
  if (live === undefined) say(`${name}: is not in the cluster`);
  else if (differences.length === 0) say(`${name}: the same`);
  else say(`${name}: ${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`);
  for (const { kind, at, says } of differences) say(`  ${signs[kind]} ${at}: ${says}`);
}
