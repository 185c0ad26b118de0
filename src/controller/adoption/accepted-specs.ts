import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { CanarySpec } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { acceptedSpecsAnnotation } from '../../api/names.ts';
import { type JsonRecord, parseJson } from '../../base/json.ts';

/** The newest two, and the oldest, which the routes in the cluster are surely of. */
const MOST_SPECS = 3;

/** Characters of the annotation: half of what the API server lets an object have in all its annotations together. */
export const MOST_CHARACTERS = 128 * 1024;

/** User and password in an address. Readers of ControllerRevisions are possibly not readers of Canaries. */
const CREDENTIALS = /\/\/[^\s"/?#@]+@/;

const Stored = z.array(z.looseObject({})).max(MOST_SPECS);

/** The accepted specs in the annotation of an anchor, the newest first; none if the annotation cannot be read. */
export function acceptedSpecsIn({ metadata }: KubeObject): readonly JsonRecord[] {
  const text = metadata.annotations?.[acceptedSpecsAnnotation];
  if (text === undefined || text.length > MOST_CHARACTERS) return [];
  return Stored.safeParse(parseJson(text)).data ?? [];
}

/**
 * The annotation of an anchor whose Canary runs with this spec from now on, without `suspend`, which only the Canary itself decides (E52). `written`: the spec of
 * the routes in the cluster; specs before it are not needed. The oldest are left out until the rest fits. A spec that is too large by itself, or
 * has credentials in an address, is not stored, nor is any older one.
 */
export function acceptedSpecsText(spec: CanarySpec, before: readonly JsonRecord[] = [], written?: CanarySpec): string {
  const others = before.filter((one) => !isSameSpec(one, spec));
  const found = written ? others.findIndex((one) => isSameSpec(one, written)) : -1;
  const needed = found === -1 ? others : others.slice(found, found + 1);
  const [first, ...more] = needed;
  const kept = [spec, ...(first ? [first] : []), ...more.slice(-(MOST_SPECS - 2))];
  const safe = kept.findIndex((one) => CREDENTIALS.test(JSON.stringify(one)));
  for (let length = safe === -1 ? kept.length : safe; length > 0; length -= 1) {
    const text = JSON.stringify(kept.slice(0, length).map(unsuspended));
    if (text.length <= MOST_CHARACTERS) return text;
  }
  return '[]';
}

/** As they are stored. */
export function isSameSpec(one: object, other: object): boolean {
  const stored = (spec: object): unknown => JSON.parse(JSON.stringify(unsuspended(spec)));
  return one === other || isDeepStrictEqual(stored(one), stored(other));
}

const unsuspended = ({ suspend: _, ...spec }: { suspend?: unknown }): object => spec;
