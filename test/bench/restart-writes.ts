import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';

type Snapshot = Readonly<Record<string, readonly KubeObject[]>>;

const READS = new Set(['get', 'list', 'watch']);

/** Writes of a restart over resting Canaries, and their changes. No write is expected. */
export function writeLines(
  requests: readonly { verb: string; path: string; status: number }[],
  before: Snapshot,
  after: Snapshot,
): string[] {
  return requests
    .filter(({ verb }) => !READS.has(verb))
    .map(({ verb, path, status }) => {
      const bare = path.split('?')[0] ?? '';
      return `${verb} ${bare} ${status}: ${changeOf(objectIn(before, bare), objectIn(after, bare))}`;
    });
}

/** The object of `/api/v1/namespaces/a/services/b/status`. */
function objectIn(snapshot: Snapshot, path: string): KubeObject | undefined {
  const [, group = '', namespace, plural, name] = /^\/(?:api|apis\/([^/]+))\/[^/]+\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)/.exec(path) ?? [];
  return snapshot[`${group}/${plural}`]?.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
}

function changeOf(before: KubeObject | undefined, after: KubeObject | undefined): string {
  if (!before || !after) return before ? 'removed' : after ? 'made' : 'not there';
  const fields = ['metadata', 'spec', 'status'].flatMap((part) => {
    const [old, now] = [raw(before)[part] ?? {}, raw(after)[part] ?? {}];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])]
      .filter((field) => field !== 'managedFields' && field !== 'resourceVersion' && !isDeepStrictEqual(old[field], now[field]))
      .map((field) => `${part}.${field} from ${JSON.stringify(old[field])} to ${JSON.stringify(now[field])}`);
  });
  return fields.join('; ') || 'nothing changed';
}
