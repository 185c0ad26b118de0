import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type Clock, sleep, systemClock } from '../../base/clock.ts';
import { parseJson } from '../../base/json.ts';
import { type AskCluster, askCluster } from '../http/ask-cluster.ts';
import { UnansweredError, withinTimeout } from '../http/within-timeout.ts';
import type { SampleRule } from '../samples.ts';
import type { BackendSource, MakeBackend } from './backend.ts';
import { foreignNamespaceProblem, statusReason } from './cluster-query.ts';
import { jsonBackend } from './json-backend.ts';
import { type KeptnQuery, readKeptnQuery } from './keptn-query.ts';
import type { Measurement } from './metric-provider.ts';

const WHO = 'Keptn';
const API = '/apis/metrics.keptn.sh/v1beta1';
const RULE: SampleRule = { series: 'first', sample: 'first', null: 'noData', empty: 'noData', nan: 'keep' };
/** Number of polls of an analysis during a check: once a second in the usual ten. */
const MOST_READS = 10;

const Metric = z.object({ kind: z.literal('KeptnMetric'), status: z.object({ value: z.string().optional() }).optional() });
const Analysis = z.object({
  kind: z.literal('Analysis'),
  status: z.object({ state: z.string().optional(), pass: z.boolean().optional() }).optional(),
});

/** Keptn's metrics and analyses, which are objects of the cluster and are requested with the controller's identity. */
export const keptn: MakeBackend = (source) => {
  const readOwn = (query: string): ReturnType<typeof readKeptnQuery> => {
    const read = readKeptnQuery(query);
    const problem = 'problem' in read ? undefined : foreignNamespaceProblem(read.namespace, source.namespace);
    return problem === undefined ? read : { problem };
  };
  const metrics = jsonBackend({
    who: WHO,
    source,
    secrets: [],
    request(query) {
      const read = readOwn(query);
      if ('problem' in read) return read;
      return { path: `${API}/namespaces/${read.namespace}/keptnmetrics/${read.kind === 'metric' ? read.name : ''}` };
    },
    read: readMetric,
    rule: RULE,
    probe: () => ({ path: API }),
    errorText: statusReason,
  });
  return {
    isOnline: metrics.isOnline,
    async runQuery(query, signal) {
      const read = readOwn(query);
      return 'kind' in read && read.kind === 'analysis' ? analyse(read, source, signal) : metrics.runQuery(query, signal);
    },
  };
};

/** A value that does not exist yet means no data; a value that is not a number makes the response unusable. */
function readMetric(json: unknown): number[][] | undefined {
  const metric = Metric.safeParse(json).data;
  if (!metric) return undefined;
  const text = metric.status?.value?.trim() ?? '';
  if (text === '') return [];
  const value = { NaN: Number.NaN, '+Inf': Number.POSITIVE_INFINITY, '-Inf': Number.NEGATIVE_INFINITY }[text] ?? Number(text);
  return Number.isNaN(value) && text !== 'NaN' ? undefined : [[value]];
}

type AnalysisQuery = Extract<KeptnQuery, { kind: 'analysis' }>;

/** Creates an Analysis, waits for its verdict (1: it passed, 0: it failed), and deletes it after any result. */
async function analyse(query: AnalysisQuery, source: BackendSource, signal: AbortSignal): Promise<Measurement> {
  const { timeoutMs, clock = systemClock, askCluster: ask } = source;
  const options = { who: WHO, timeoutMs, clock, secrets: [], signal };
  if (!ask) return { kind: 'error', reason: `${WHO} is queried through a cluster, and none is connected` };
  const collection = `${API}/namespaces/${query.namespace}/analyses`;
  const name = `${query.definition.slice(0, 240)}-${randomBytes(3).toString('hex')}`;
  let isMade = false;
  try {
    return await withinTimeout(async (within) => {
      // Set before the response: a request whose response is lost could have been carried out.
      isMade = true;
      const made = await ask({ method: 'POST', path: collection, body: analysisOf(name, query) }, within);
      if (made.status >= 300) {
        isMade = false;
        throw failureOf(made);
      }
      const value = await resultOf({ ask, path: `${collection}/${name}`, everyMs: timeoutMs / MOST_READS, clock }, within);
      return { kind: 'value', value };
    }, options);
  } finally {
    // With its own timeout, since the check's can be over; an Analysis that is left behind has a label that names its owner.
    if (isMade) {
      const own = new AbortController().signal;
      await askCluster(ask, { method: 'DELETE', path: `${collection}/${name}` }, { ...options, signal: own });
    }
  }
}

const analysisOf = (name: string, { namespace, definition, timeframe, args }: AnalysisQuery) => ({
  apiVersion: 'metrics.keptn.sh/v1beta1',
  kind: 'Analysis',
  metadata: { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'serin' } },
  spec: { analysisDefinition: { name: definition }, timeframe: { recent: timeframe }, args },
});

async function resultOf(
  { ask, path, everyMs, clock }: { ask: AskCluster; path: string; everyMs: number; clock: Clock },
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const seen = await ask({ path }, signal);
    if (seen.status !== 200) throw failureOf(seen);
    const json = parseJson(seen.body);
    if (json === undefined) throw new UnansweredError(`${WHO} gave an unexpected response (no JSON)`);
    const analysis = Analysis.safeParse(json);
    if (!analysis.success) throw new UnansweredError(`${WHO} gave an unexpected response (JSON without a query result)`);
    const { state, pass } = analysis.data.status ?? {};
    if (state === 'Completed' && pass !== undefined) return pass ? 1 : 0;
    await sleep(clock, everyMs, signal);
  }
}

function failureOf({ status, body }: { status: number; body: string }): UnansweredError {
  const reason = status >= 400 ? statusReason(parseJson(body)) : undefined;
  return new UnansweredError(`${WHO} answered ${status}${reason === undefined ? '' : `: ${reason}`}`);
}
