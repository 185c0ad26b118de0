/** Urgency of a request, the most urgent first. */
export const PRIORITIES = ['rollback', 'release', 'promotion', 'initialization', 'upkeep'] as const;
/**
 * `rollback`: traffic leaves a bad version. `promotion`: a version that has passed its analysis needs four times the requests of a step, and no step
 * is late for them. `initialization`: of a Canary that has no primary yet. `upkeep`: no release waits for it.
 */
export type Priority = (typeof PRIORITIES)[number];

/** Of requests that name none. */
export const DEFAULT_PRIORITY: Priority = 'release';

export const eachPriority = <T>(make: () => T): Record<Priority, T> =>
  Object.fromEntries(PRIORITIES.map((priority) => [priority, make()])) as Record<Priority, T>;
