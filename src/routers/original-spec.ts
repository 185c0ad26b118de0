import type { Canary } from '../api/canary.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { names, ownerAnnotation } from '../api/names.ts';
import { lastApplied, originalConfig } from '../api/tracking-metadata.ts';

export { originalConfig };

/** Tests if a spec routes to the sides that we have made: such a spec is not the user's. */
export type NamesOurSides = (spec: object) => boolean;

/** A spec that holds one of these words as the value of a field of that name, in its JSON. */
export function namesIn(field: string, words: readonly string[]): NamesOurSides {
  return (spec) => {
    const text = JSON.stringify(spec);
    return words.some((word) => text.includes(`"${field}":${JSON.stringify(word)}`));
  };
}

/** The same for the Services of both sides. */
export function namesServicesIn(field: string, canary: Canary): NamesOurSides {
  const { primaryService, canaryService } = names(canary);
  return namesIn(field, [primaryService, canaryService]);
}

/**
 * The annotation's value: the spec from before our first write, taken once and then repeated unchanged (Flagger overwrites it with its own spec at the
 * second change). `undefined` if nothing is to be kept, as in an object that we have made ourselves, even if others have changed it since.
 */
export function rememberedSpec(found: KubeObject | undefined, namesOurSides: NamesOurSides): string | undefined {
  if (!found) return undefined;
  const kept = found.metadata.annotations?.[originalConfig];
  if (kept !== undefined) return kept;
  if (found.metadata.annotations?.[ownerAnnotation] !== undefined) return undefined;
  return found.spec === undefined || namesOurSides(specOf(found)) ? undefined : JSON.stringify(found.spec);
}

/** Tests if a routing object carries anything of ours that deletion has to undo. */
export function isTaken(found: KubeObject, namesOurSides: NamesOurSides): boolean {
  return found.metadata.annotations?.[originalConfig] !== undefined || namesOurSides(specOf(found));
}

/** The spec to put back; the user's last apply is newer than our copy. A spec that routes to our sides is not the user's. */
export function originalSpec(found: KubeObject, namesOurSides: NamesOurSides): object | undefined {
  const { [lastApplied]: applied, [originalConfig]: kept } = found.metadata.annotations ?? {};
  return [specIn(applied, true), specIn(kept, false)].find((spec) => spec !== undefined && !namesOurSides(spec));
}

/** Text that is not the JSON of an object is ignored: deletion must not hang on it. */
function specIn(text: string | undefined, wholeObject: boolean): object | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const spec = wholeObject ? (parsed as { spec?: unknown } | null)?.spec : parsed;
    if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return undefined;
    // Nested too deep, it can be read and not be written.
    JSON.stringify(spec);
    return spec;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
