import { bytesFrom } from '../../e2e/audit-log.ts';
import type { AnsweredRequest } from '../bare-cluster.ts';
import { resourceIn } from '../bare-cluster.ts';

/** One request as the API server saw it. */
export interface SeenRequest {
  /** Milliseconds since 1970. */
  atMs: number;
  user: string;
  /** `patch canaries/status`. */
  what: string;
  /** 0: no answer. */
  code: number;
  /** The same request was sent before, and failed. */
  isResent: boolean;
}

export interface RequestLog {
  /** Requests of this user that came since then. */
  since(user: string, fromMs: number): readonly SeenRequest[];
  stop(): void;
}

export interface RequestFigures {
  total: number;
  writes: number;
  byWhat: Record<string, number>;
  /** Answers with 429 and with codes from 500 up, each with its count. */
  failures: Record<string, number>;
  /** Cancelled by the client, or never answered: code 0, 499 or 504. */
  cancelled: number;
  resent: number;
}

/** Codes that mean that the server did not do it, or that no client learned that it did. */
const hasFailed = (code: number): boolean => code === 0 || code === 429 || code === 499 || code >= 500;
const CANCELLED = new Set([0, 499, 504]);
const READS = new Set(['get', 'list', 'watch']);
const READ_EVERY_MS = 1_000;
/** Longer than a controller waits for an answer: until then a request without one counts neither as done nor as failed. */
const UNDER_WAY_MS = 10_000;

export const isWrite = ({ what }: SeenRequest): boolean => !READS.has(what.split(' ')[0] ?? '');
/** The lease is renewed at all times, and says nothing about the work. */
export const isOfLease = ({ what }: SeenRequest): boolean => what.endsWith(' leases');

export function figuresOf(requests: readonly SeenRequest[]): RequestFigures {
  const nowMs = Date.now();
  const isUnderWay = ({ code, atMs }: SeenRequest) => code === 0 && nowMs - atMs < UNDER_WAY_MS;
  const counted = requests.filter((request) => !isOfLease(request) && !isUnderWay(request));
  return {
    total: counted.length,
    writes: counted.filter(isWrite).length,
    byWhat: counts(counted.map(({ what }) => what)),
    failures: counts(counted.filter(({ code }) => hasFailed(code)).map(({ code }) => String(code))),
    cancelled: counted.filter(({ code }) => CANCELLED.has(code)).length,
    resent: counted.filter(({ isResent }) => isResent).length,
  };
}

function counts(names: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of names) found[name] = (found[name] ?? 0) + 1;
  return found;
}

interface AuditLine {
  auditID: string;
  stage: 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  verb: string;
  requestURI: string;
  requestReceivedTimestamp: string;
  user: { username: string };
  objectRef?: { resource?: string; subresource?: string };
  responseStatus?: { code?: number };
}

/**
 * Reads an audit log of every stage as it grows, and keeps little of each request: a run of ten thousand Canaries has half a million. Only
 * requests of these users are kept.
 */
export function readRequests(auditLog: string, users: readonly string[]): RequestLog {
  const requests: SeenRequest[] = [];
  const open = new Map<string, { request: SeenRequest; key: string }>();
  const resent = new Resent();
  const names = new Map<string, string>();
  /** Keeps one of several equal texts: a substring would otherwise keep its whole parsed line. */
  const interned = (text: string): string => {
    const known = names.get(text) ?? text;
    names.set(known, known);
    return known;
  };
  let position = 0;
  const learn = ({ auditID, stage, verb, requestURI, requestReceivedTimestamp, user, objectRef, responseStatus }: AuditLine): void => {
    const { resource, subresource } = objectRef ?? {};
    const known = open.get(auditID);
    if (stage === 'RequestReceived') {
      const what = `${verb} ${resource ?? requestURI.split('?')[0]}${subresource === undefined ? '' : `/${subresource}`}`;
      const request = {
        atMs: Date.parse(requestReceivedTimestamp),
        user: interned(user.username),
        what: interned(what),
        code: 0,
        isResent: false,
      };
      const key = keyOf(verb, requestURI);
      request.isResent = resent.isKnown(key);
      requests.push(request);
      open.set(auditID, { request, key });
    } else if (known && (stage === 'ResponseStarted' || stage === 'ResponseComplete')) {
      known.request.code = responseStatus?.code ?? 0;
      resent.learn(known.key, known.request.code);
      open.delete(auditID);
    }
  };
  const read = (): void => {
    const fresh = bytesFrom(auditLog, position);
    const end = fresh.lastIndexOf(10) + 1;
    position += end;
    for (const line of fresh.toString('utf8', 0, end).split('\n')) {
      if (line === '') continue;
      const event: AuditLine = JSON.parse(line);
      if (users.includes(event.user.username)) learn(event);
    }
  };
  const timer = setInterval(read, READ_EVERY_MS);
  return {
    since(user, fromMs) {
      read();
      return requests.filter((request) => request.user === user && request.atMs >= fromMs);
    },
    stop: () => clearInterval(timer),
  };
}

/** Requests that the embedded API server has answered; it knows only one user. */
export function answeredRequests(answered: readonly AnsweredRequest[]): RequestLog {
  return {
    since(user, fromMs) {
      const resent = new Resent();
      return answered
        .map(({ verb, path, status, atMs }) => {
          const key = keyOf(verb, path);
          const isResent = resent.isKnown(key);
          resent.learn(key, status);
          return { atMs: performance.timeOrigin + atMs, user, what: `${verb} ${resourceIn(path)}`, code: status, isResent };
        })
        .filter(({ atMs }) => atMs >= fromMs);
    },
    stop: () => undefined,
  };
}

const keyOf = (verb: string, uri: string): string => `${verb} ${uri.split('?')[0]}`;

/** Requests whose last try failed. Reads of lists are no retries: they are of a watch that opens again. */
class Resent {
  readonly #failed = new Set<string>();

  isKnown(key: string): boolean {
    return this.#failed.has(key);
  }

  learn(key: string, code: number): void {
    if (hasFailed(code)) this.#failed.add(key);
    else this.#failed.delete(key);
  }
}
