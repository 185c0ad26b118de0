import type { IncomingMessage, ServerResponse } from 'node:http';
import { promDuration } from './promql/value.ts';
import { instantQuery, type QueryData, rangeQuery } from './query.ts';
import { badData, QueryError } from './query-error.ts';
import type { SeriesStore } from './store.ts';

const MAX_FORM_BYTES = 1024 * 1024;

/** Answers Prometheus' HTTP API: `/api/v1/query`, `/api/v1/query_range` (GET and POST form), `/-/ready`, `/-/healthy`. */
export async function serveQuery(store: SeriesStore, now: () => number, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/-/ready' || url.pathname === '/-/healthy') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('Prometheus Server is Ready.\n');
    return;
  }
  const run = url.pathname === '/api/v1/query' ? runInstant : url.pathname === '/api/v1/query_range' ? runRange : undefined;
  if (!run) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    return;
  }
  if (request.method !== 'GET' && request.method !== 'POST') {
    response.writeHead(405, { allow: 'GET, POST' }).end();
    return;
  }
  try {
    const form = request.method === 'POST' ? await readForm(request) : new URLSearchParams();
    for (const [name, value] of url.searchParams) if (!form.has(name)) form.append(name, value);
    send(response, 200, { status: 'success', data: run(store, form, now()) });
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    send(response, error.errorType === 'bad_data' ? 400 : 422, { status: 'error', errorType: error.errorType, error: error.message });
  }
}

function runInstant(store: SeriesStore, form: URLSearchParams, nowMs: number): QueryData {
  const atMs = form.get('time') ? time(form, 'time') : nowMs;
  return instantQuery(store, query(form), atMs);
}

function runRange(store: SeriesStore, form: URLSearchParams): QueryData {
  const stepMs = promDuration(form.get('step') ?? '');
  if (stepMs === undefined)
    throw badData(`invalid parameter "step": cannot parse ${JSON.stringify(form.get('step') ?? '')} to a valid duration`);
  return rangeQuery(store, query(form), time(form, 'start'), time(form, 'end'), stepMs);
}

const query = (form: URLSearchParams): string => form.get('query') ?? '';

/** Unix seconds or RFC 3339, as epoch milliseconds. */
function time(form: URLSearchParams, name: string): number {
  const text = form.get(name) ?? '';
  const seconds = text === '' ? Number.NaN : Number(text);
  const ms = Number.isNaN(seconds) ? Date.parse(text) : Math.round(seconds * 1000);
  if (Number.isNaN(ms)) throw badData(`invalid parameter "${name}": cannot parse ${JSON.stringify(text)} to a valid timestamp`);
  return ms;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_FORM_BYTES) throw badData('request body too large');
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
