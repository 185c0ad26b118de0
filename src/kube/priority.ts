/** Urgency of a request, the most urgent first. */
export const PRIORITIES = ['rollback', 'release', 'initialization', 'upkeep'] as const;
/** `rollback`: traffic leaves a bad version. `initialization`: of a Canary that has no primary yet. `upkeep`: no release waits for it. */
export type Priority = (typeof PRIORITIES)[number];

/** Priority of requests that name none. */
export const DEFAULT_PRIORITY: Priority = 'release';
