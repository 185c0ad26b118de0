import { type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { originalConfig } from '../../routers/index.ts';

/** Whose an object is, and what it was before it was ours. */
const MARKS = [ownerAnnotation, originalConfig];

/**
 * The marks that objects were seen with. The same object without them is still what it was: somebody has replaced it from a manifest that
 * knows nothing of us. In memory only: what happens while Serin is down is not known.
 */
export class KnownAnnotations {
  readonly #known = new Map<string, { uid: string | undefined; annotations: Record<string, string> }>();

  /** The object with its marks; the object itself where it has lost none. */
  restored(object: KubeObject): KubeObject {
    const key = refKey(refOf(object));
    const { uid, annotations = {} } = object.metadata;
    const known = this.#known.get(key);
    const before = known?.uid === uid ? (known?.annotations ?? {}) : {};
    const marks = { ...before };
    for (const mark of MARKS) {
      const value = annotations[mark];
      if (value !== undefined) marks[mark] = value;
    }
    if (Object.keys(marks).length > 0) this.#known.set(key, { uid, annotations: marks });
    const isWhole = Object.keys(marks).every((mark) => annotations[mark] !== undefined);
    return isWhole ? object : { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...marks } } };
  }
}
