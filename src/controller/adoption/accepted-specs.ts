import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Canary, CanarySpec } from '../../api/canary.ts';
import type { CanaryStatus } from '../../api/canary-status.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { acceptedGenerationAnnotation, acceptedSpecsAnnotation } from '../../api/names.ts';
import { type JsonRecord, parseJson } from '../../base/json.ts';

/** The newest two, and the oldest, which the routes in the cluster are surely of. */
const MOST_SPECS = 3;

/** Characters of the annotation: half of what the API server lets an object have in all its annotations together. */
export const MOST_CHARACTERS = 128 * 1024;

/** User and password in an address. Readers of ControllerRevisions are possibly not readers of Canaries. */
const CREDENTIALS = /\/\/[^\s"/?#@]+@/;

const Stored = z.array(z.looseObject({})).max(MOST_SPECS);

/**
 * The accepted specs in the annotation of an anchor, the newest first; none if the annotation cannot be read, or if the status shows that an earlier version of
 * Serin, which does not store them, has run a newer spec since.
 */
export function acceptedSpecsIn(anchor: KubeObject, status?: CanaryStatus): readonly JsonRecord[] {
  const { [acceptedSpecsAnnotation]: text } = anchor.metadata.annotations ?? {};
  if (text === undefined || text.length > MOST_CHARACTERS) return [];
  if ((generationIn(anchor) ?? Infinity) < (acceptedGenerationOf(status) ?? 0)) return [];
  return Stored.safeParse(parseJson(text)).data ?? [];
}

/** Generation of the last accepted spec, as the status has it. A version that does not store specs leaves only the generation that it has seen. */
export function acceptedGenerationOf(status: CanaryStatus | undefined): number | undefined {
  const promoted = status?.conditions?.find(({ type }) => type === 'Promoted');
  return status?.release?.acceptedGeneration ?? promoted?.observedGeneration;
}

/** Generation of the newest stored spec; `undefined` if a version that does not store it has written the specs. */
function generationIn({ metadata }: KubeObject): number | undefined {
  const generation = Number(metadata.annotations?.[acceptedGenerationAnnotation]);
  return Number.isSafeInteger(generation) ? generation : undefined;
}

/** Annotations for specs of this text, of which the newest is the Canary's. */
export const acceptedAnnotations = ({ metadata: { generation } }: Canary, text: string): Labels => ({
  [acceptedSpecsAnnotation]: text,
  [acceptedGenerationAnnotation]: String(generation),
});

/** The annotations that an anchor needs to have the Canary's spec, none if it has it, and the generation that it has then. */
export function acceptedNote(
  anchor: KubeObject,
  canary: Canary,
  written: CanarySpec | undefined,
): { annotations?: Labels; generation: number } {
  const { generation } = canary.metadata;
  const { annotations = {} } = anchor.metadata;
  const stored = acceptedSpecsIn(anchor, canary.status);
  // A spec that is stored already is not written for its generation.
  if (stored[0] && isSameSpec(stored[0], canary.spec)) return { generation: generationIn(anchor) ?? generation };
  const before = stored.length === 0 && written ? [written] : stored;
  const text = acceptedSpecsText(canary.spec, before, written);
  if (text === '[]' && (annotations[acceptedSpecsAnnotation] ?? text) === text) return { generation };
  return { annotations: acceptedAnnotations(canary, text), generation };
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
