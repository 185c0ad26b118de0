/** Kinds of alert that can be tested, with their severities (rule E64). */
export const alertKinds = {
  Initialized: 'info',
  NewRevision: 'info',
  GateClosed: 'warn',
  Succeeded: 'info',
  Failed: 'error',
  PromotionFailed: 'error',
} as const;
export type AlertKind = keyof typeof alertKinds;
