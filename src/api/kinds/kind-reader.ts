import type { KubeObject, Slim } from '../kube-object.ts';

/** A slim object stays slim. */
export type KindReader<T extends KubeObject> = <O extends Slim>(object: O) => O extends KubeObject ? T : Slim<T>;

/** Gives objects of these kinds their type. The API server has checked the fields; an object of another kind is a defect of the caller. */
export function kindReader<T extends KubeObject>(...kinds: readonly T['kind'][]): KindReader<T> {
  return <O extends Slim>(object: O) => {
    if (!kinds.includes(object.kind)) throw new TypeError(`${object.kind} ${object.metadata.name} was read as ${kinds.join(' or ')}`);
    return object as unknown as O extends KubeObject ? T : Slim<T>;
  };
}
