import { hideSecrets } from '../../base/hide-secrets.ts';
import { parseJson } from '../../base/json.ts';
import { askCluster, type ClusterRequest } from '../http/ask-cluster.ts';
import { type BackendRequest, sendRequest } from '../http/send-request.ts';
import { pickSample, type SampleRule, type Samples } from '../samples.ts';
import { type BackendSource, transportOf } from './backend.ts';
import type { Measurement, MetricProvider } from './metric-provider.ts';

/** The request to send, or the reason for which it cannot be made. */
type Request = BackendRequest | ClusterRequest | { problem: string };

export interface JsonBackend {
  /** Its name in messages. */
  who: string;
  source: BackendSource;
  secrets: readonly (string | undefined)[];
  /** The request for a rendered query, or the reason for which it cannot be made. */
  request(query: string): Request;
  /** The samples found; undefined if the response does not have the documented shape, or the message in it. */
  read(body: unknown): Samples | { reason: string } | undefined;
  /** Parses the response for `read`; default: JSON. */
  parse?(body: string): unknown;
  rule: SampleRule;
  /** A request that any working installation answers successfully. */
  probe(): Request;
  /** Statuses below 300 that are successful; default: 200. */
  isGood?(status: number): boolean;
  /** The same for the probe, if an error also shows that the backend answers. */
  probeIsGood?(status: number): boolean;
  /** The status by which the backend refuses a query, if it has no other cause; the check then waits with `QueryInvalid`. */
  queryRefusal?: number;
  /** The backend's message in the body of an error; a body of another shape is never shown. */
  errorText?(json: unknown): string | undefined;
}

/** A backend that is queried over HTTP and answers with JSON, or with a text that it parses. */
export function jsonBackend(backend: JsonBackend): MetricProvider {
  const { who, source, secrets, rule } = backend;
  const { parse = parseJson, isGood = (status: number) => status === 200, probeIsGood = isGood } = backend;
  const fetch = async (request: Request, isAnswer: (status: number) => boolean, signal: AbortSignal) => {
    if ('problem' in request) return { kind: 'error', reason: request.problem } as const;
    const options = { who, ...transportOf(source), secrets, signal };
    const response = await ('path' in request ? askCluster(source.askCluster, request, options) : sendRequest(request, options));
    if ('kind' in response || isAnswer(response.status)) return response;
    const code = response.status === backend.queryRefusal ? ({ code: 'QueryInvalid' } as const) : {};
    return { kind: 'error', reason: `${who} answered ${response.status}${errorTextIn(response.body, backend)}`, ...code } as const;
  };
  return {
    async runQuery(query, signal): Promise<Measurement> {
      const response = await fetch(backend.request(query), isGood, signal);
      if ('kind' in response) return response;
      const parsed = parse(response.body);
      if (parsed === undefined) return { kind: 'error', reason: `${who} gave an unexpected response (no JSON)` };
      const found = backend.read(parsed);
      if (found === undefined) return { kind: 'error', reason: `${who} gave an unexpected response (JSON without a query result)` };
      return 'reason' in found ? { kind: 'error', ...found } : pickSample(found, rule, source.choice);
    },
    async isOnline(signal) {
      const response = await fetch(backend.probe(), probeIsGood, signal);
      return 'kind' in response ? response.reason : undefined;
    },
  };
}

const MOST_WORDS = 300;

function errorTextIn(body: string, { errorText, secrets }: JsonBackend): string {
  const words = errorText?.(parseJson(body));
  return words === undefined ? '' : `: ${hideSecrets(words, secrets).slice(0, MOST_WORDS)}`;
}
