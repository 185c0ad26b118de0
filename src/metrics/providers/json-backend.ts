import { hideSecrets } from '../../api/hide-secrets.ts';
import { parseJson } from '../../api/json.ts';
import { ask, type BackendRequest } from '../http/ask.ts';
import { askCluster, type ClusterRequest } from '../http/ask-cluster.ts';
import { pickSample, type SampleRule, type Samples } from '../samples.ts';
import { type BackendSource, transportOf } from './backend.ts';
import type { Measurement, MetricProvider } from './metric-provider.ts';

/** The request to send; or why it cannot be made. */
type Request = BackendRequest | ClusterRequest | { problem: string };

export interface JsonBackend {
  /** Its name in messages. */
  who: string;
  source: BackendSource;
  secrets: readonly (string | undefined)[];
  /** The request for a rendered query; or why there can be none. */
  request(query: string): Request;
  /** The samples found; throws, or gives undefined, where the answer has not the documented shape. */
  read(json: unknown): Samples | undefined;
  rule: SampleRule;
  /** A request that any working installation answers well. */
  probe(): Request;
  /** Statuses below 300 that are an answer; default: all of 2xx. */
  isGood?(status: number): boolean;
  /** The same for the probe, where an error shows that the backend answers. */
  probeIsGood?(status: number): boolean;
  /** The backend's message in the body of an error; nothing of a body of another shape is shown (05-W37). */
  errorText?(json: unknown): string | undefined;
}

/** A backend that is asked over HTTP and answers with JSON. */
export function jsonBackend(backend: JsonBackend): MetricProvider {
  const { who, source, secrets, rule } = backend;
  const options = (signal: AbortSignal) => ({
    who,
    ...transportOf(source),
    secrets,
    signal,
  });
  const is2xx = (status: number) => status >= 200 && status < 300;
  const fetch = async (request: Request, isGood: (status: number) => boolean, signal: AbortSignal) => {
    if ('problem' in request) return { kind: 'error', reason: request.problem } as const;
    const toCluster = 'path' in request;
    const answer = await (toCluster ? askCluster(source.askCluster, request, options(signal)) : ask(request, options(signal)));
    if ('kind' in answer || isGood(answer.status)) return answer;
    return { kind: 'error', reason: `${who} answered ${answer.status}${errorTextIn(answer.body, backend)}` } as const;
  };
  return {
    async runQuery(query, signal): Promise<Measurement> {
      const answer = await fetch(backend.request(query), backend.isGood ?? is2xx, signal);
      if ('kind' in answer) return answer;
      const json = parseJson(answer.body);
      if (json === undefined) return { kind: 'error', reason: `${who} gave an unexpected response (no JSON)` };
      const samples = backend.read(json);
      if (samples === undefined) return { kind: 'error', reason: `${who} gave an unexpected response (JSON without a query result)` };
      return pickSample(samples, rule, source.choice);
    },
    async isOnline(signal) {
      const answer = await fetch(backend.probe(), backend.probeIsGood ?? backend.isGood ?? is2xx, signal);
      return 'kind' in answer ? answer.reason : undefined;
    },
  };
}

const MOST_WORDS = 300;

function errorTextIn(body: string, { errorText, secrets }: JsonBackend): string {
  const words = errorText?.(parseJson(body));
  return words === undefined ? '' : `: ${hideSecrets(words, secrets).slice(0, MOST_WORDS)}`;
}
