import type { KubeObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import type { Projection } from '../../kube/projection.ts';

/** The objects of a kind that users made, by namespace. Each Canary looks through them: ours, two for each Canary, are none of them. */
export class UsersObjects {
  readonly #byNamespace = new Map<string, Map<string, KubeObject>>();

  constructor(projection: Pick<Projection<{ object: KubeObject }>, 'values' | 'onChange'>) {
    for (const { object } of projection.values()) this.#see(object.metadata, object);
    projection.onChange(({ namespace, name, after }) => this.#see({ ...(namespace !== undefined && { namespace }), name }, after?.object));
  }

  of(namespace: string): KubeObject[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])];
  }

  #see({ namespace = '', name }: { namespace?: string; name: string }, object: KubeObject | undefined): void {
    const known = this.#byNamespace.get(namespace) ?? new Map<string, KubeObject>();
    if (object !== undefined && object.metadata.annotations?.[ownerAnnotation] === undefined) known.set(name, object);
    else known.delete(name);
    if (known.size > 0) this.#byNamespace.set(namespace, known);
    else this.#byNamespace.delete(namespace);
  }
}
