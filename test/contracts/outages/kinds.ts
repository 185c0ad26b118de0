import type { Verdict } from '../../../src/api/canary-status.ts';
import type { Answer, Trouble } from './monitoring.ts';

const PATIENCE_MS = 150;
const vector = (...values: string[]) =>
  JSON.stringify({ status: 'success', data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) } });
const says =
  (body: string): Answer =>
  (response) =>
    response.end(body);
const refuses =
  (status: number, body: string): Answer =>
  (response) =>
    response.writeHead(status).end(body);

/** Headers at once, then a byte now and then, for longer than anyone waits. */
const drips: Answer = (response) => {
  response.writeHead(200).flushHeaders();
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

const template = { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', name: 'errors', namespace: 'test' };
const address = { object: template, field: 'spec.provider.address' };
const noTraffic = { code: 'NoTraffic' } as const;

/** Each way in which monitoring fails, a word that its cause must contain, and the same as data where it is more than an answer that does not count. */
export const outages: readonly {
  name: string;
  cause: RegExp;
  trouble: Trouble;
  why?: Pick<Verdict, 'code' | 'object' | 'field'>;
  /** Named by some of the possible answers. */
  mayName?: Pick<Verdict, 'object' | 'field'>;
}[] = [
  {
    name: 'the connection is refused',
    cause: /cannot be queried: nothing listens .*ECONNREFUSED/,
    trouble: { address: 'http://127.0.0.1:1' },
    why: address,
  },
  {
    // Without a resolver, the query's own timeout ends it.
    name: 'DNS does not know the host',
    cause: /prometheus\.invalid|did not answer/,
    trouble: { address: 'http://prometheus.invalid', patienceMs: 20_000 },
    mayName: address,
  },
  { name: 'it answers 503', cause: /answered 503/, trouble: { answer: refuses(503, 'no backend') } },
  { name: 'it answers 401', cause: /answered 401/, trouble: { answer: refuses(401, 'who are you') } },
  {
    name: 'it answers 422 to the query',
    cause: /answered 422: too many/,
    trouble: { answer: refuses(422, '{"error":"too many samples"}') },
  },
  { name: 'it answers with a page', cause: /no JSON/, trouble: { answer: says('<html>Please log in</html>') } },
  { name: 'it answers with other JSON', cause: /without a query result/, trouble: { answer: says('{"ok":true}') } },
  { name: 'it answers with nothing', cause: /no JSON/, trouble: { answer: says('') } },
  { name: 'no series is found', cause: /found no series/, trouble: { answer: says(vector()) }, why: noTraffic },
  { name: 'the value is NaN', cause: /NaN/, trouble: { answer: says(vector('NaN')) }, why: noTraffic },
  { name: 'the samples are an hour old', cause: /found no series/, trouble: { silentForMs: 3_600_000 }, why: noTraffic },
  { name: 'it answers byte by byte', cause: /did not answer within/, trouble: { answer: drips, patienceMs: PATIENCE_MS } },
  { name: 'it never answers', cause: /did not answer within/, trouble: { answer: () => undefined, patienceMs: PATIENCE_MS } },
  {
    name: 'it is cut off',
    cause: /cannot be queried/,
    trouble: { answer: (response) => response.writeHead(200, { 'content-length': '999' }).write('{"', () => response.destroy()) },
  },
  {
    name: 'it sends us elsewhere',
    cause: /redirects to another address/,
    trouble: { answer: (response) => response.writeHead(302, { location: 'http://127.0.0.2:9/login' }).end() },
  },
  {
    name: 'the Secret is gone',
    cause: /Secret test\/keys not found/,
    trouble: { secret: async () => undefined },
    why: { code: 'SecretNotFound', object: { apiVersion: 'v1', kind: 'Secret', name: 'keys', namespace: 'test' } },
  },
  { name: 'the Secret has lost its key', cause: /Secret test\/keys needs token/, trouble: { secret: async () => ({}) } },
  {
    name: 'the API server does not give the Secret',
    cause: /could not be read/,
    trouble: { secret: () => Promise.reject(new Error('x')) },
  },
  {
    name: 'the MetricTemplate is gone',
    cause: /MetricTemplate test\/errors: not found/,
    trouble: { template: async () => undefined },
    why: { code: 'TemplateNotFound', object: template },
  },
  {
    name: 'the MetricTemplate has lost its query',
    cause: /query is missing/,
    trouble: { template: async () => ({ spec: { provider: {} } }) },
    why: { code: 'QueryInvalid', object: template, field: 'spec.query' },
  },
  {
    name: 'the query cannot be rendered',
    cause: /variables.*app|"app"/,
    trouble: { query: 'errors{app="{{ variables.app }}"}' },
    why: { code: 'QueryInvalid', object: template, field: 'spec.query' },
  },
  {
    name: 'a vendor answers that there were too many queries',
    cause: /answered 429/,
    trouble: { provider: { type: 'datadog' }, answer: refuses(429, '{"errors":["Rate limit"]}') },
  },
];
