import { connectionTo } from '../../../src/kube/connect.ts';
import { createCluster } from '../../../src/kube/create-cluster.ts';
import type { AskCluster } from '../../../src/metrics/http/ask-cluster.ts';
import type { BackendSource } from '../../../src/metrics/providers/backend.ts';
import type { Measurement } from '../../../src/metrics/providers/metric-provider.ts';

/**
 * Answers of a backend, in its own words:
 * - `value`: the number 7, or `value` of the case.
 * - `noData`: a query that finds nothing. `empty`: no series, or a series without points. Often both are the same answer.
 * - `null`, `NaN`: a point without a value, and one whose value is not a number.
 * - `stale`: a point that is older than the query wants.
 * - `severalSeries`: more series than one; `ofSeveral` is the number that is judged.
 * - `refused`: a query with a mistake, with the documented message.
 * - The others are the same for all of HTTP (`http-fake.ts`).
 */
export type Scenario =
  | 'value'
  | 'noData'
  | 'null'
  | 'NaN'
  | 'empty'
  | 'severalSeries'
  | 'stale'
  | 'refused'
  | 'down'
  | 'slow'
  | 'cutOff'
  | 'wrongJson'
  | 'otherJson'
  | 'hugeBody'
  | 'redirect'
  | 'badCredentials';

export interface SeenRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** A local server that speaks the documented API of a backend. */
export interface FakeBackend {
  address: string;
  answersWith(scenario: Scenario): void;
  readonly requests: SeenRequest[];
  stop(): Promise<void>;
}

export interface BackendCase {
  /** The first words of its reasons. */
  name: string;
  start(): Promise<FakeBackend>;
  /** A MetricTemplate and its Secret; the address is that of the fake. */
  source: { provider?: object; secret?: Readonly<Record<string, string>>; intervalMs?: number };
  /** Keys of the Secret that it can do without. Each other key is named when it is missing. */
  optionalKeys?: readonly string[];
  query: string;
  /** The fake is the cluster's own API server. */
  inCluster?: boolean;
  /** Scenarios that cannot be, each with the reason in words. */
  leftOut?: Partial<Record<Scenario, string>>;
  /** The request has the form that the documentation requires. */
  isDocumented(request: SeenRequest): boolean;
  /** The request by which Serin finds out whether the backend answers has the documented form; any working installation answers it successfully. */
  isProbe(request: SeenRequest): boolean;
  /** The number in `value`; default: 7. */
  value?: number;
  /** The number of `severalSeries` is this, by the backend's own rule. */
  ofSeveral?: number | 'noData' | RegExp;
  /** Today's answer if it is not `noData`: a number. The reason, in words, if the answer cannot occur. */
  null?: number | string;
  empty?: number | string;
  NaN?: 'kept' | 'noData' | string;
  /** Under `strictNoData` all four are no data, unless it cannot happen. */
  stale?: string;
  /** The reason for `refused`, with the message of the answer; default: only its status. */
  refusalShown?: RegExp;
  /** The code of an answer of 400, where that always means the query (`queryRefusal` of the backend). */
  refusalCode?: 'QueryInvalid';
  /** Texts of the Secret that nothing may show. */
  planted: readonly string[];
  /** Its row in docs/metrics.md. */
  docs: { address: string; keys: string; query: string };
}

/** The query of a check. */
export const sourceOf = (known: BackendCase, type: string, address: string, choice: BackendSource['choice'] = {}): BackendSource => ({
  provider: { type, address, ...(known.source.secret ? { secretRef: { name: 'keys' } } : {}), ...known.source.provider },
  secret: known.source.secret,
  namespace: 'shop',
  secretName: 'shop/keys',
  intervalMs: known.source.intervalMs ?? 60_000,
  windowMs: undefined,
  choice,
  nowMs: 1_800_000_000_500,
  // Far above the time that a busy machine needs, including the first load of a vendor's client; silent backends get their own timeout.
  timeoutMs: 60_000,
  askCluster: known.inCluster ? clusterAt(address) : undefined,
});

/** Sends the request through the client of the API server, as the controller does. */
function clusterAt(address: string): AskCluster {
  const cluster = createCluster(connectionTo(address));
  return ({ method = 'GET', path, body }, signal) => cluster.ask(method, path, { ...(body && { body }), signal });
}

/** The bodies of its good answer and of its refusal. */
export async function bodiesOf(known: BackendCase): Promise<{ value: string; refused: string }> {
  const fake = await known.start();
  const bodyOf = async (scenario: Scenario): Promise<string> => {
    fake.answersWith(scenario);
    return (await fetch(fake.address)).text();
  };
  const bodies = { value: await bodyOf('value'), refused: await bodyOf('refused') };
  await fake.stop();
  return bodies;
}

export const isNumber = (expected: number): Measurement => ({ kind: 'value', value: expected });
