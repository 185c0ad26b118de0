import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { ownerAnnotation, promotedScalerAnnotation } from '../../api/names.ts';
import { originalConfig } from '../../routers/index.ts';
import type { ControllerConfig } from '../config.ts';
import { isOurRoute } from './ownership.ts';

interface Owner {
  canary: Canary;
  config: Pick<ControllerConfig, 'remoteRoutes'>;
}

type Marks = Readonly<Record<string, string>>;

/**
 * Annotations of ours that objects were seen with: the owner, the original spec, and the changes of a promotion to a scaler. The same object without them was
 * replaced from a manifest that does not know them, and still counts as annotated. The mark of another owner is never restored, nor a mark that our own write
 * has removed. Only in memory: a replacement while Serin is down is not noticed.
 */
export class KnownAnnotations {
  readonly #known = new Map<string, { uid: string | undefined; marks: Marks }>();

  /** The object with its annotations of ours; the object itself where it has lost none. */
  restored(owner: Owner, object: KubeObject): KubeObject {
    const { uid, annotations = {} } = object.metadata;
    const known = this.#known.get(refKey(refOf(object)));
    const marks = this.#remember(object, marksOf(owner, object, known?.uid === uid ? known?.marks : undefined));
    const isWhole = Object.keys(marks).every((mark) => annotations[mark] !== undefined);
    return isWhole ? object : { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...marks } } };
  }

  /** Takes over the marks in the answer of our own write: marks that it has removed are not lost by another writer. */
  wrote(owner: Owner, answered: KubeObject): void {
    this.#remember(answered, marksOf(owner, answered));
  }

  #remember(object: KubeObject, marks: Marks): Marks {
    const key = refKey(refOf(object));
    const { uid } = object.metadata;
    const known = this.#known.get(key);
    if (known?.uid === uid && isDeepStrictEqual(known?.marks, marks)) return marks;
    if (Object.keys(marks).length === 0) this.#known.delete(key);
    else this.#known.set(key, { uid, marks: this.#shared(marks) });
    return marks;
  }

  /** Most objects of a Canary have the same ones. */
  #shared(marks: Marks): Marks {
    return [...this.#known.values()].find((known) => isDeepStrictEqual(known.marks, marks))?.marks ?? marks;
  }
}

function marksOf(owner: Owner, object: KubeObject, before: Marks = {}): Marks {
  const { [ownerAnnotation]: uid, [originalConfig]: original, [promotedScalerAnnotation]: promoted } = object.metadata.annotations ?? {};
  const { [ownerAnnotation]: lost, ...rest } = before;
  const isOwned = uid === undefined ? lost !== undefined : isOurRoute(owner.canary, object, owner.config);
  return {
    ...rest,
    ...(isOwned && { [ownerAnnotation]: owner.canary.metadata.uid }),
    ...(original !== undefined && { [originalConfig]: original }),
    ...(promoted !== undefined && { [promotedScalerAnnotation]: promoted }),
  };
}
