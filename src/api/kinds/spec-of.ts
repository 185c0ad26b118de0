import type { Slim } from '../kube-object.ts';

/**
 * The spec of an object, with the fields that its reader knows; empty without object or spec. The API server has checked them: a reader
 * of manifests gives them the type `unknown`.
 */
export function specOf<T extends object>(object: Slim | undefined): Partial<T> {
  return (object?.spec ?? {}) as Partial<T>;
}

/** The same of the status. */
export function statusOf<T extends object>(object: Slim | undefined): Partial<T> {
  return (object?.status ?? {}) as Partial<T>;
}
