import { apiVersion } from '../api/canary.ts';
import type { CanaryStatus } from '../api/canary-status.ts';
import { endingActor, endingOf, endingRemedy } from '../api/ending.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { asideAnnotation } from '../api/names.ts';
import { parseStatus } from '../api/parse-status.ts';
import type { Routes } from '../api/routes.ts';
import { defined } from '../base/defined.ts';
import { timestamp } from '../base/timestamp.ts';
import type { Cluster } from '../kube/cluster.ts';
import { isNotFound } from '../kube/errors.ts';
import type { CanarySummary, EndingReport } from './documents/canary-documents.ts';
import { findKept, keptSentence } from './kept-primaries.ts';
import { ReadingError } from './reading-error.ts';
import { releaseProgress } from './release-progress.ts';

export const CANARIES = { apiVersion, kind: 'Canary' };

export const canaryRef = (namespace: string, name: string) => ({ ...CANARIES, namespace, name });

/** Remedy for a cluster without the resource definition. */
export const NOT_INSTALLED = 'the cluster has no CustomResourceDefinition of Canary: install Serin, or run serin crds apply';

/** Sorted by namespace and name; without `namespace`, all of them. */
export async function listCanaries(
  cluster: Pick<Cluster, 'list'>,
  namespace: string | undefined,
  selector?: string,
): Promise<KubeObject[]> {
  const selection = selector === undefined ? {} : { labelSelector: selector };
  const { items } = await served(cluster.list({ ...CANARIES, ...(namespace && { namespace }) }, selection));
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** The Canary of this name, or the error that ends the command. */
export async function getCanary(cluster: Pick<Cluster, 'get'>, namespace: string, name: string): Promise<KubeObject> {
  const found = await served(cluster.get(canaryRef(namespace, name)));
  const kept = found === undefined ? await findKept(cluster, namespace, name) : undefined;
  if (kept) throw new ReadingError('notFound', keptSentence(kept));
  if (found === undefined)
    throw new ReadingError('notFound', `Canary ${name} not found in namespace ${namespace}: serin list -A lists all`);
  return found;
}

/** A cluster without the resource definition answers 404 for everything. */
async function served<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new ReadingError('notFound', NOT_INSTALLED, { cause: error });
  }
}

/** The error of a command that needs the target of a Canary. */
export const targetNotFound = ({ kind, name }: { kind: string; name: string }): ReadingError =>
  new ReadingError('notFound', `${kind} ${name}, the target, not found: create it, or correct spec.targetRef`);

/** The error of a command that needs a spec that can be run. */
export const specUnusable = (name: string): ReadingError =>
  new ReadingError('no', `the spec of Canary ${name} cannot be run: serin why ${name} says where it is wrong`);

/** Name in the form of `kubectl get -o name`. */
export function resourceName({ name }: { name: string }): string {
  return `canary.flagger.app/${name}`;
}

/** One line of a list; of an invalid spec only the readable fields. */
export function summaryOf(raw: KubeObject): CanarySummary {
  const spec = asRecord(raw.spec);
  const status = parseStatus(raw.status);
  const target = asRecord(spec.targetRef);
  const threshold = asRecord(spec.analysis).threshold;
  const promoted = status?.conditions?.find(({ type }) => type === 'Promoted');
  const refused = status?.conditions?.find(({ type, status: is }) => type === 'Accepted' && is === 'False');
  const message = refused?.message ?? promoted?.message;
  const counts = ofThisRelease(status);
  return {
    namespace: raw.metadata.namespace ?? '',
    name: raw.metadata.name,
    phase: status?.phase ?? '',
    suspended: spec.suspend === true,
    ...(raw.metadata.annotations?.[asideAnnotation] === undefined ? {} : { aside: true }),
    ...(raw.metadata.deletionTimestamp === undefined ? {} : { deleting: true }),
    target: { kind: text(target.kind), name: text(target.name) },
    ...(typeof spec.provider === 'string' ? { provider: spec.provider } : {}),
    traffic: trafficOf(status?.release?.routes, status?.canaryWeight ?? 0),
    iterations: counts?.iterations ?? 0,
    // Flagger's field is 0 once a release has failed.
    failedChecks: counts?.release?.failedChecks ?? counts?.failedChecks ?? 0,
    ...(typeof threshold === 'number' ? { threshold } : {}),
    ...(status?.lastAppliedSpec ? { revision: status.lastAppliedSpec } : {}),
    ...(status?.lastPromotedSpec ? { promotedRevision: status.lastPromotedSpec } : {}),
    ...timeOf('since', status?.lastTransitionTime),
    ...(message === undefined ? {} : { message }),
    ...defined({ release: releaseProgress({ provider: spec.provider, analysis: asRecord(spec.analysis) }, counts) }),
    ...endingIn(raw, status),
  };
}

/** Reason for the end of the last release, with who can act and how. */
function endingIn({ metadata, spec }: KubeObject, status: CanaryStatus | undefined): { ending?: EndingReport } {
  const ending = status?.release && endingOf(status.phase, status.release);
  if (ending === undefined) return {};
  const { kind, name } = asRecord(asRecord(spec).targetRef);
  const names = { target: `${text(kind)} ${text(name)}`, name: metadata.name, namespace: metadata.namespace ?? '' };
  const { atMs, ...known } = ending;
  return { ending: { ...known, at: timestamp(atMs), actor: endingActor(ending), remedy: endingRemedy(ending, names) } };
}

/**
 * The record of the release, or undefined while its first gate is closed: the record is of the release before then, since the new one has
 * measured nothing.
 */
export function ofThisRelease<T extends Pick<CanaryStatus, 'phase'>>(status: T | undefined): T | undefined {
  return status?.phase === 'Waiting' ? undefined : status;
}

/** The traffic split; `weight` is that of weighted routes. */
export function trafficOf(routes: Routes | undefined, weight: number): CanarySummary['traffic'] {
  const kind = routes?.kind ?? 'weighted';
  if (routes?.kind === 'matched') return { kind, primary: 0, canary: 100 };
  if (routes?.kind === 'mirrored') return { kind, primary: 100, canary: routes.share };
  return { kind, primary: 100 - weight, canary: weight };
}

/** A time as the API server stores it; absent where another writer stored something else. */
export function timeOf<K extends string>(key: K, time: unknown): { [key in K]?: string } {
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return (Number.isNaN(ms) ? {} : { [key]: new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z') }) as { [key in K]?: string };
}

/** The value as an object; empty if it is anything else. */
export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;
