import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';

/** The established annotation in which a VirtualService found in place keeps its own spec. */
export const originalConfig = 'flagger.kubernetes.io/original-configuration';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * What to keep in the annotation: the spec as it was before our first write, taken once and then repeated unchanged
 * (04 R-D2; the established controller overwrites it with its own spec at the second change). Undefined: nothing to keep.
 */
export function rememberedSpec(canary: Canary, found: KubeObject | undefined): string | undefined {
  if (!found) return undefined;
  const kept = found.metadata.annotations?.[originalConfig];
  if (kept !== undefined) return kept;
  return found.spec === undefined || namesOurSides(canary, found.spec) ? undefined : JSON.stringify(found.spec);
}

/** Whether a VirtualService carries anything of ours that deletion has to undo. */
export function isTaken(canary: Canary, found: KubeObject): boolean {
  return found.metadata.annotations?.[originalConfig] !== undefined || namesOurSides(canary, found.spec ?? {});
}

/** The spec to put back; the user's last apply is newer than our copy. One that routes to our sides is none of theirs. */
export function originalSpec(canary: Canary, found: KubeObject): object | undefined {
  const { [lastApplied]: applied, [originalConfig]: kept } = found.metadata.annotations ?? {};
  return [specIn(applied, true), specIn(kept, false)].find((spec) => spec !== undefined && !namesOurSides(canary, spec));
}

/** Text that is not the JSON of an object counts as absent: deletion must not hang on it (04 R-L2). */
function specIn(text: string | undefined, wholeObject: boolean): object | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const spec = wholeObject ? (parsed as { spec?: unknown } | null)?.spec : parsed;
    return typeof spec === 'object' && spec !== null ? spec : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function namesOurSides(canary: Canary, spec: object): boolean {
  const { primaryService, canaryService } = names(canary);
  const text = JSON.stringify(spec);
  return [primaryService, canaryService].some((host) => text.includes(`"host":"${host}"`) || text.includes(`"host":"${host}.`));
}
