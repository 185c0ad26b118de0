import { preciseTimestamp } from '../base/timestamp.ts';
import { fitted } from './fitted.ts';
import type { AlertFormat } from './notifier.ts';
import { asItIs, plainLimits } from './plain.ts';

/** Plain JSON for receivers of one's own; signed where the Secret has a key, with a token where it has one. */
export const webhook: AlertFormat = {
  takesToken: true,
  isSigned: true,
  body(message) {
    const { key, canary, severity, reason, details, page, releasePage, approve, atMs } = message;
    const { text, fields } = fitted(message, plainLimits, asItIs);
    return {
      key,
      name: canary.name,
      namespace: canary.namespace,
      severity,
      reason,
      message: text,
      fields,
      ...(details === undefined ? {} : { details }),
      ...(page === undefined ? {} : { page }),
      ...(releasePage === undefined ? {} : { releasePage }),
      ...(approve === undefined ? {} : { approve }),
      timestamp: preciseTimestamp(atMs),
    };
  },
};
