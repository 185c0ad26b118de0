import { preciseTimestamp } from '../api/timestamp.ts';
import type { AlertFormat } from './notifier.ts';

/** Plain JSON for receivers of one's own; signed where the Secret has a key, with a token where it has one (05-W8). */
export const webhook: AlertFormat = {
  takesToken: true,
  isSigned: true,
  body: ({ key, canary, severity, reason, text, fields, page, atMs }) => ({
    key,
    name: canary.name,
    namespace: canary.namespace,
    severity,
    reason,
    message: text,
    fields,
    ...(page === undefined ? {} : { page }),
    timestamp: preciseTimestamp(atMs),
  }),
};
