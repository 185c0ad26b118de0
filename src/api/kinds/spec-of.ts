import type { Slim } from '../kube-object.ts';

/** The spec of an object of a CRD, with the fields that its one reader knows; empty without object or spec. Its CRD has checked them. */
export function specOf<T extends object>(object: Slim | undefined): Partial<T> {
  return (object?.spec ?? {}) as Partial<T>;
}

/** The same of the status. */
export function statusOf<T extends object>(object: Slim | undefined): Partial<T> {
  return (object?.status ?? {}) as Partial<T>;
}
