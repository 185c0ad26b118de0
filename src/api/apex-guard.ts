import type { KubeObject, Labels } from './kube-object.ts';
import { guardAnnotation } from './names.ts';

/** The value by which a user keeps the guard from a Service. */
const NEVER = 'false';

type Marked = Pick<KubeObject, 'metadata'>;

const markOf = ({ metadata }: Marked): string | undefined => metadata.annotations?.[guardAnnotation];

/** Its selector stays as it is, where the API server has the policy of the chart: see docs/apex-guard.md. */
export const isGuarded = (service: Marked): boolean => service.metadata.uid !== undefined && markOf(service) === service.metadata.uid;

/** It is to be marked when it is written next. */
export const isToBeGuarded = (service: Marked): boolean => !isGuarded(service) && markOf(service) !== NEVER;

/** Annotations of a Service whose selector is to stay: its mark. Empty where its user does not want it. */
export function guardMark(service: Marked): Labels {
  const { uid } = service.metadata;
  return uid === undefined || markOf(service) === NEVER ? {} : { [guardAnnotation]: uid };
}

/** The same in a merge patch that leaves the Service to its user; what the user has written there stays. */
export const unguarded = (service: Marked): Record<string, null> =>
  markOf(service) === undefined || markOf(service) === NEVER ? {} : { [guardAnnotation]: null };
