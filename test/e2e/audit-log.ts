import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** One entry of the API server's audit log: the part that the tests read. */
export interface AuditEvent {
  auditID: string;
  environment: string;
  verb: string;
  requestURI: string;
  /** RFC 3339 with microseconds. */
  requestReceivedTimestamp: string;
  user: { username: string };
  userAgent?: string;
  objectRef?: { resource?: string; subresource?: string };
  /** Set by the API server: what each part of it has decided, and why. */
  annotations?: Record<string, string>;
}

export interface AuditLog {
  /** Requests that have been answered so far. Each is listed once, although a watch has two entries: its start and its end. */
  events(): readonly AuditEvent[];
}

/** Reads the log as it grows; each look reads only what is new. */
export function readAuditLog(file: string): AuditLog {
  const events: AuditEvent[] = [];
  const seen = new Set<string>();
  let position = 0;
  return {
    events() {
      const fresh = bytesFrom(file, position);
      // The last line can be incomplete.
      const end = fresh.lastIndexOf(10) + 1;
      position += end;
      for (const line of fresh.toString('utf8', 0, end).split('\n')) {
        if (line === '') continue;
        const event: AuditEvent = JSON.parse(line);
        if (seen.has(event.auditID)) continue;
        seen.add(event.auditID);
        events.push(event);
      }
      return events;
    },
  };
}

/** Requests by verb and resource: `patch canaries/status`. */
export function countsIn(events: readonly AuditEvent[], isMeant: (event: AuditEvent) => boolean): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const event of events) {
    if (!isMeant(event)) continue;
    const { resource, subresource } = event.objectRef ?? {};
    const what = `${event.verb} ${resource ?? event.requestURI}${subresource === undefined ? '' : `/${subresource}`}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

/** Refused for want of permission. A namespace that is going refuses what is new with a 403 as well, which no role allows. */
export function isUnauthorised({ annotations }: AuditEvent): boolean {
  return annotations?.['authorization.k8s.io/decision'] === 'forbid';
}

/** Bytes of a file from this position on. */
export function bytesFrom(file: string, position: number): Buffer {
  const log = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(log).size - position));
    return bytes.subarray(0, readSync(log, bytes, 0, bytes.length, position));
  } finally {
    closeSync(log);
  }
}
