import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { originalConfig } from '../../routers/index.ts';

/** The owner of an object, and its original spec. */
const MARKS = [ownerAnnotation, originalConfig];

/**
 * Annotations of ours that objects were seen with. The same object without them was replaced from a manifest that does not know them, and still
 * counts as annotated. In memory only: a replacement while Serin is down is not noticed.
 */
export class KnownAnnotations {
  readonly #known = new Map<string, { uid: string | undefined; annotations: Record<string, string> }>();

  /** The object with its annotations of ours; the object itself where it has lost none. */
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
    const isNews = known?.uid !== uid || !isDeepStrictEqual(before, marks);
    if (isNews && Object.keys(marks).length > 0) this.#known.set(key, { uid, annotations: this.#shared(marks) });
    const isWhole = Object.keys(marks).every((mark) => annotations[mark] !== undefined);
    return isWhole ? object : { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...marks } } };
  }

  /** Most objects of a Canary have the same ones. */
  #shared(marks: Record<string, string>): Record<string, string> {
    return [...this.#known.values()].find(({ annotations }) => isDeepStrictEqual(annotations, marks))?.annotations ?? marks;
  }
}
