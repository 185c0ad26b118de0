import type { KubeObject, Labels } from './kube-object.ts';
import { guardAnnotation } from './names.ts';

/** The value by which a user excludes a Service from the guard. */
const NEVER = 'false';

type Marked = Pick<KubeObject, 'metadata'>;

const markOf = ({ metadata }: Marked): string | undefined => metadata.annotations?.[guardAnnotation];

/** Its selector cannot be changed if the API server has the policy of the chart: see docs/apex-guard.md. */
export const isGuarded = (service: Marked): boolean => service.metadata.uid !== undefined && markOf(service) === service.metadata.uid;

/** It is marked with the next write. */
export const isToBeGuarded = (service: Marked): boolean => !isGuarded(service) && markOf(service) !== NEVER;

/** Annotation of a Service whose selector must not change: its mark. Empty if its user does not want it. */
export function guardMark(service: Marked): Labels {
  const { uid } = service.metadata;
  return uid === undefined || markOf(service) === NEVER ? {} : { [guardAnnotation]: uid };
}

/** Merge patch of the annotations that leaves the Service to its user; a value of the user is kept. */
export const unguarded = (service: Marked): Record<string, null> =>
  markOf(service) === undefined || markOf(service) === NEVER ? {} : { [guardAnnotation]: null };
