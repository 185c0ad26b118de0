import type { Canary } from '../../api/canary.ts';
import { remedyOf } from '../../api/codes/codes.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError, isAlreadyExists } from '../../kube/errors.ts';
import { deleteFound } from '../../kube/what-was-found.ts';
import { anchorReference, recordsOf } from '../../workloads/anchor.ts';
import { type ConfigKey, configKey, configObjectRef } from '../../workloads/configs/config-ref.ts';
import {
  type ConfigCopies,
  type CopyInUse,
  configsOf,
  copiesToPrune,
  hasSameContent,
  isCopyFrom,
  isCopyName,
  isSameCopy,
  renderCopy,
} from '../../workloads/configs/copies.ts';
import { type SecretsSettings, secretsPolicy } from '../../workloads/configs/read-configs.ts';
import { configReferences } from '../../workloads/configs/references.ts';
import { isLive } from '../../workloads/configs/tracking.ts';
import type { KeptTemplates } from '../adoption/template-records.ts';
import { ConfigCopyError, NameTakenError } from '../errors.ts';

interface CopyContext {
  canary: Canary;
  cluster: Pick<Cluster, 'create' | 'get' | 'list' | 'delete'>;
  config: SecretsSettings;
  signal: AbortSignal;
}

/**
 * Makes the copies that a primary is about to read, before its template is written, and never by changing one. An object of the same name is the same
 * copy, made by an interrupted promotion, or it is another owner's and refused. With Secrets limited by name no copy can be read: then the name
 * decides, a digest of Canary and content. Copies `inUse` usually exist, and are looked at first. Returns true if a copy was made.
 */
export async function makeCopies(
  { canary, cluster, config, signal }: CopyContext,
  { copies }: Pick<ConfigCopies, 'copies'>,
  owner: { name: string; uid: string },
  inUse?: ReadonlySet<ConfigKey>,
): Promise<boolean> {
  const secrets = secretsPolicy(config, canary.metadata.namespace);
  const ownerReferences = [anchorReference(owner)];
  let hasMade = false;
  for (const copy of copies) {
    const { kind, metadata } = copy;
    const isReadable = kind !== 'Secret' || secrets.names.length === 0;
    const isInUse = inUse?.has(configKey({ kind: kind === 'Secret' ? kind : 'ConfigMap', name: metadata.name }));
    if (isReadable && isInUse && (await isThere(cluster, copy, signal))) continue;
    try {
      await cluster.create({ ...copy, metadata: { ...metadata, ownerReferences } }, { signal });
      hasMade = true;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!isAlreadyExists(error)) throw new ConfigCopyError(refOf(copy), refusalOf(error));
      if (isReadable && !(await isThere(cluster, copy, signal))) throw new ConfigCopyError(refOf(copy), 'it is being deleted');
    }
  }
  return hasMade;
}

/** False if it does not exist, or is being deleted. Another object under its name is an error. */
async function isThere(cluster: Pick<Cluster, 'get'>, copy: KubeObject, signal: AbortSignal): Promise<boolean> {
  const found = await cluster.get(refOf(copy), { signal });
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return false;
  if (!isSameCopy(found, copy)) throw new NameTakenError(refOf(copy), { canBeAdopted: false });
  return true;
}

/**
 * Deletes the copies that no kept template reads any more. If listing Secrets is forbidden, the copies that a pruned template named are looked at. If
 * Secrets are limited by name, their copies stay until the Canary is deleted. A copy that cannot be deleted now is found again at the next promotion that makes
 * a copy or prunes a template that read one.
 */
export async function pruneCopies(
  { canary, cluster, config, signal }: CopyContext,
  templates: KeptTemplates,
  madeCopies = true,
): Promise<void> {
  const { namespace } = canary.metadata;
  const secrets = secretsPolicy(config, namespace);
  const kept = configsOf(templates.kept);
  const isLeft = templates.pruned.some(({ template }) =>
    configReferences(template?.spec).some((ref) => isCopyName(ref) && !kept.has(configKey(ref))),
  );
  // A promotion that changes no config costs no request.
  if (!isLeft && !(madeCopies && templates.kept.some(({ template }) => configReferences(template?.spec).some(isCopyName)))) return;
  const listed = async (kind: string): Promise<KubeObject[]> => {
    const selection = { labelSelector: recordsOf(canary), metadataOnly: true, signal };
    return (await cluster.list({ apiVersion: 'v1', kind, namespace }, selection)).items;
  };
  const named = async (): Promise<KubeObject[]> => {
    const refs = templates.pruned
      .flatMap(({ template }) => configReferences(template?.spec))
      .filter((ref) => ref.kind === 'Secret' && isCopyName(ref));
    return (await Promise.all(refs.map((ref) => cluster.get(configObjectRef(ref, namespace), { signal })))).flatMap((found) => found ?? []);
  };
  try {
    const mode = secrets.names.length > 0 ? 'off' : secrets.mode;
    const ofSecrets = mode === 'watch' ? () => listed('Secret') : mode === 'get' ? named : () => [];
    const copies = [...(await listed('ConfigMap')), ...(await ofSecrets())];
    for (const copy of copiesToPrune(canary, copies, templates.kept)) await deleteFound(copy, cluster, { signal });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/**
 * Updates the copy of a live Secret with the Secret's content (E132), under the name in the primary's template: revoked credentials must not stay in it. It is
 * made again, since the copies of promotions are immutable, and is not immutable itself, so that kubelets look at it again. A kill in between leaves none, and
 * the next look makes it.
 */
export async function refreshCopy(
  { canary, cluster, signal }: Omit<CopyContext, 'config' | 'cluster'> & { cluster: Pick<Cluster, 'create' | 'get' | 'delete'> },
  { source, copy }: CopyInUse,
  owner: () => Promise<{ name: string; uid: string }>,
): Promise<void> {
  const { namespace } = canary.metadata;
  const original = await cluster.get(configObjectRef({ kind: 'Secret', name: source }, namespace), { signal });
  if (original === undefined || !isLive(original)) return;
  const where = configObjectRef({ kind: 'Secret', name: copy }, namespace);
  const found = await cluster.get(where, { signal });
  const { immutable: _, ...rendered } = renderCopy(canary, original, []);
  if (found !== undefined && (!isCopyFrom(canary, found, source) || hasSameContent(found, rendered))) return;
  const { labels = {}, ownerReferences = [anchorReference(await owner())] } = found?.metadata ?? {};
  const metadata = { ...rendered.metadata, name: copy, labels: { ...labels, ...rendered.metadata.labels }, ownerReferences };
  if (found) await deleteFound(found, cluster, { signal });
  await cluster.create({ ...rendered, metadata }, { signal });
}

/** Only status and reason, except for permission or quota: the text of an admission about a refused object can quote it. */
function refusalOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.name : 'the write failed';
  if (error.denial?.by === 'authorization') return `${error.message}: ${remedyOf('Forbidden')}`;
  return error.denial?.by === 'quota' ? `${error.message}: ${remedyOf('QuotaExceeded')}` : `${error.status} ${error.reason}`;
}
