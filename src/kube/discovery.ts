import { apiVersion } from '../api/canary.ts';
import { SharedRuns } from '../base/shared-runs.ts';
import { ApiError } from './errors.ts';

/** Path of a kind: `/apis/apps/v1` + namespace + `deployments`. */
export interface DiscoveredResource {
  /** `/api/v1` or `/apis/<group>/<version>`. */
  root: string;
  plural: string;
  namespaced: boolean;
}

export interface Discovery {
  /** `undefined` if the API server does not serve the kind (now). */
  find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<DiscoveredResource | undefined>;
  /** The next look-up reads it from the server again: a CRD was installed, deleted or changed. */
  forget(apiVersion: string): void;
}

type Kinds = ReadonlyMap<string, DiscoveredResource>;

/**
 * Remembers what each group version serves. An absent kind is never remembered, so that a CRD installed later is found. A group version that was absent once is
 * looked up in the list of all groups, so that one request answers for every kind that is not installed. Equal reads at the same time are one.
 *
 * @param read - `undefined` if the API server serves nothing at the path. Must end by itself: it continues for other callers when one has given up.
 */
export function createDiscovery(read: (path: string) => Promise<unknown>): Discovery {
  const known = new Map<string, Kinds>();
  const absent = new Set<string>();
  const reads = new SharedRuns<unknown>();
  let changes = 0;

  const shared = (path: string, signal: AbortSignal | undefined) => reads.run(path, () => read(path), signal);

  async function load(apiVersion: string, signal: AbortSignal | undefined): Promise<Kinds> {
    if (absent.has(apiVersion) && !(await isListed(apiVersion, signal))) return new Map();
    const root = rootOf(apiVersion);
    const changesBefore = changes;
    const answer = await shared(root, signal);
    const kinds = kindsIn(root, answer);
    if (changes === changesBefore) known.set(apiVersion, kinds);
    if (answer === undefined) absent.add(apiVersion);
    else absent.delete(apiVersion);
    return kinds;
  }

  /** Also true if the list of groups is forbidden: then the group version itself is read. */
  async function isListed(apiVersion: string, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      return versionsIn(await shared(GROUPS, signal))?.has(apiVersion) ?? true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return true;
      throw error;
    }
  }

  return {
    async find(apiVersion, kind, signal) {
      const remembered = known.get(apiVersion)?.get(kind);
      return remembered ?? (await load(apiVersion, signal)).get(kind);
    },
    forget(apiVersion) {
      changes += 1;
      known.delete(apiVersion);
      reads.forget(rootOf(apiVersion));
      reads.forget(GROUPS);
    },
  };
}

const GROUPS = '/apis';

export const rootOf = (apiVersion: string): string => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`);

/** Remedy for a kind that is not served. */
export const installRemedy = (version: string): string =>
  version === apiVersion ? 'install the CRDs of Serin: serin crds apply' : 'install its CRD';

export function notServed(version: string, kind: string): ApiError {
  return new ApiError(`the API server does not serve ${version} ${kind}: ${installRemedy(version)}`, {
    status: 404,
    reason: 'KindNotServed',
  });
}

function kindsIn(root: string, answer: unknown): Kinds {
  const kinds = new Map<string, DiscoveredResource>();
  const resources = (answer as { resources?: unknown } | undefined)?.resources;
  if (!Array.isArray(resources)) return kinds;
  for (const { name, kind, namespaced } of resources as { name?: unknown; kind?: unknown; namespaced?: unknown }[]) {
    // `deployments/scale` and its like are subresources.
    if (typeof name !== 'string' || typeof kind !== 'string' || name.includes('/') || kinds.has(kind)) continue;
    kinds.set(kind, { root, plural: name, namespaced: namespaced === true });
  }
  return kinds;
}

/** `undefined` if the answer is not a list of groups. */
function versionsIn(answer: unknown): ReadonlySet<string> | undefined {
  const groups = (answer as { groups?: unknown } | undefined)?.groups;
  if (!Array.isArray(groups)) return undefined;
  const versions = groups.flatMap((group: { versions?: unknown }) => (Array.isArray(group?.versions) ? group.versions : []));
  return new Set(versions.map((version: { groupVersion?: unknown }) => String(version?.groupVersion)));
}
