import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { guarded } from '../../../src/cli/canaries/session.ts';
import { rightsCommand } from '../../../src/cli/rights/rights-command.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';

export const ACCOUNT = { namespace: 'serin', name: 'serin' };

/** Objects that a user has in files: the Canaries of the cluster, and the objects that they refer to. */
const IN_FILES = [
  ...['Canary', 'MetricTemplate', 'AlertProvider'].map((kind) => ({ apiVersion: 'flagger.app/v1beta1', kind })),
  ...['Deployment', 'DaemonSet'].map((kind) => ({ apiVersion: 'apps/v1', kind })),
  { apiVersion: 'serving.knative.dev/v1', kind: 'Service' },
];

/** Everything of the cluster that `serin rights` reads from files. */
export async function manifestsIn(cluster: Pick<Cluster, 'list'>): Promise<KubeObject[]> {
  const lists = await Promise.all(IN_FILES.map(async (kind) => (await cluster.list(kind)).items.map((item) => ({ ...item, ...kind }))));
  return lists.flat();
}

/** The output of `serin rights` for these values and objects. */
export async function printedRights(values: object, objects: readonly KubeObject[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'serin-rights-'));
  const said: string[] = [];
  const complained: string[] = [];
  const streams = {
    out: { write: (text: string | Uint8Array) => said.push(String(text)) },
    err: { write: (text: string) => complained.push(text) },
  };
  try {
    const files = [join(folder, 'values.yaml'), join(folder, 'objects.yaml')] as const;
    writeFileSync(files[0], stringify(values));
    writeFileSync(files[1], objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n'));
    const code = await guarded({}, { env: {}, streams }, (output) => rightsCommand(output, { files, account: ACCOUNT }));
    if (code !== 0) throw new Error(`serin rights ended with ${code}: ${complained.join('')}`);
    return said.join('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
