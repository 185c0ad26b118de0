import type { KubeObject } from '../../api/kube-object.ts';
import { CANARIES, getCanary, listCanaries } from '../../reading/canary-reading.ts';
import type { Session } from '../canaries/session.ts';
import type { Documents } from '../output/documents.ts';
import { CommandError, type ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer, Output } from '../output/output.ts';
import { toYaml } from '../output/to-yaml.ts';
import { readDocuments, unreadablePlace } from '../validate/documents.ts';
import { Spent } from '../validate/limits.ts';
import { readSources } from '../validate/sources.ts';
import { applicationReader } from './application-reader.ts';
import { type Preflight, preflightList } from './preflight-document.ts';
import { preflightLines } from './preflight-lines.ts';
import { type LineOf, type PreflightSettings, preflight } from './read-application.ts';
import { readGuard } from './read-guard.ts';

interface PreflightChoice {
  name: string | undefined;
  selector?: string | undefined;
  /** Print the objects that keep what would be lost, and nothing else. */
  manifests?: boolean | undefined;
}

/** `serin preflight [NAME]`: effects of Canaries of the cluster on their applications, present or future. `no` if one is refused. */
export async function preflightCommand(
  { cluster, namespace, output }: Session,
  { name, selector, manifests }: PreflightChoice,
  settings: PreflightSettings,
): Promise<ExitName> {
  const canaries =
    name === undefined ? await listCanaries(cluster, namespace, selector) : [await getCanary(cluster, namespace ?? '', name)];
  if (canaries.length === 0)
    throw new CommandError('notFound', `no Canary found in ${namespace === undefined ? 'any namespace' : `namespace ${namespace}`}`);
  const read = applicationReader(cluster, new Set(canaries.map(({ metadata }) => metadata.namespace ?? '')));
  const found: Preflight[] = [];
  const guardOf = await readGuard(cluster);
  for (const canary of canaries) {
    const one = await preflight(canary, read, settings);
    found.push(one.verdict === 'unusable' ? one : { ...one, guard: guardOf(one.namespace) });
  }
  return answered(found, output, manifests);
}

/** The same for the Canaries of files, over the objects of all of them. */
export async function preflightFiles(
  output: Output,
  {
    files,
    stdin,
    namespace,
    manifests,
  }: { files: string[]; stdin?: Buffer | undefined; namespace: string | undefined; manifests?: boolean | undefined },
  settings: PreflightSettings,
): Promise<ExitName> {
  const objects: KubeObject[] = [];
  const spent = new Spent();
  const lines = new Map<KubeObject, LineOf>();
  for (const { name, file, text } of readSources(files, stdin, spent)) {
    if ('unreadable' in text) throw new CommandError('no', `${name}: ${text.unreadable}`);
    const { items, unreadable } = readDocuments({ source: name, file, text: text.content }, spent);
    const [broken] = unreadable;
    if (broken) throw new CommandError('no', `${unreadablePlace(broken)}: ${broken.message}`);
    for (const { object, place } of items) {
      const placed = inNamespace(object, namespace ?? 'default');
      objects.push(placed);
      if (place) lines.set(placed, (path) => `${place.source}:${place.lineOf(path)}`);
    }
  }
  const canaries = objects.filter(({ apiVersion, kind }) => apiVersion === CANARIES.apiVersion && kind === 'Canary');
  if (canaries.length === 0) throw new CommandError('notFound', 'the files have no Canary');
  const found: Preflight[] = [];
  for (const canary of canaries) found.push(await preflight(canary, async () => ({ objects, unread: [] }), settings, lines.get(canary)));
  return answered(found, output, manifests);
}

const inNamespace = (object: KubeObject, namespace: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace: object.metadata?.namespace ?? namespace },
});

async function answered(found: Preflight[], output: Output, manifestsAlone = false): Promise<ExitName> {
  if (manifestsAlone) for (const manifest of found.flatMap(({ manifests }) => manifests)) output.write(`---\n${toYaml(manifest)}`);
  else await output.show(preflightAnswer(found));
  return found.some(({ verdict }) => verdict === 'refused' || verdict === 'unusable') ? 'no' : 'done';
}

export function preflightAnswer(found: Preflight[]): CommandAnswer<Documents> {
  const [first, ...more] = found;
  return {
    document: first !== undefined && more.length === 0 ? first : preflightList(found),
    names: found.map(({ name }) => `canary.flagger.app/${name}`),
    lines: () => found.flatMap((one) => preflightLines(one)),
  };
}
