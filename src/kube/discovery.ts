import { apiVersion } from '../api/canary.ts';
import { ApiError } from './errors.ts';

/** How a kind is reached: `/apis/apps/v1` + namespace + `deployments`. */
export interface DiscoveredResource {
  /** `/api/v1` or `/apis/<group>/<version>`. */
  root: string;
  plural: string;
  namespaced: boolean;
}

export interface Discovery {
  /** `undefined`: the API server does not serve the kind (now). */
  find(apiVersion: string, kind: string, signal?: AbortSignal): Promise<DiscoveredResource | undefined>;
  /** Asks the server again next time: a CRD came, went or changed. */
  forget(apiVersion: string): void;
}

type Kinds = ReadonlyMap<string, DiscoveredResource>;

/** Remembers what each group version serves. An absent kind is never remembered, so that a CRD installed later is found. */
export function createDiscovery(read: (path: string, signal?: AbortSignal) => Promise<unknown>): Discovery {
  const known = new Map<string, Kinds>();

  async function load(apiVersion: string, signal?: AbortSignal): Promise<Kinds> {
    const root = rootOf(apiVersion);
    const kinds = kindsIn(root, await read(root, signal));
    known.set(apiVersion, kinds);
    return kinds;
  }

  return {
    async find(apiVersion, kind, signal) {
      const remembered = known.get(apiVersion)?.get(kind);
      return remembered ?? (await load(apiVersion, signal)).get(kind);
    },
    forget(apiVersion) {
      known.delete(apiVersion);
    },
  };
}

export const rootOf = (apiVersion: string): string => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`);

/** How a kind that is not served comes into the cluster. */
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
