import type { OutgoingHttpHeaders } from 'node:http';
import { parseDuration } from '../api/duration.ts';
import { goOptions } from './go-options.ts';
import { basicAuthorization, requestHeader, requestUrl, secretsOfHeader } from './request-headers.ts';

export interface HeyOptions {
  url: URL;
  method: string;
  headers: OutgoingHttpHeaders;
  body: string | undefined;
  /** Workers that send requests at the same time. */
  workers: number;
  /** In all; counts only without `durationMs`. */
  requests: number;
  durationMs: number | undefined;
  /** Requests a second of each worker; 0 is as fast as it goes. */
  rate: number;
  /** Time of one request; 0: unlimited. */
  timeoutMs: number;
  keepAlive: boolean;
  followRedirects: boolean;
  secrets: readonly string[];
}

export const TAKES_VALUE = {
  ...{ n: true, c: true, q: true, z: true, m: true, H: true, t: true, A: true, d: true, T: true, U: true, a: true, host: true, cpus: true },
  ...{ h2: false, 'disable-compression': false, 'disable-keepalive': false, 'disable-redirects': false },
  ...{ o: true, D: true, x: true, h: true },
};
const NOT_HERE: Readonly<Record<string, string>> = {
  o: 'hey -o prints every request: here there is a summary only',
  D: 'hey -D reads a file of the load tester: give the body with -d',
  x: 'hey -x goes through a proxy, which is not done here',
  h: 'hey has no option -h: write -H',
  cpus: 'hey -cpus shares the work among processors: here one process makes the load, so leave -cpus out',
};
const MAX_WORKERS = 500;
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/** The options of `hey`, with its own defaults; `problem` is for the Canary's event. */
export function heyOptions(words: readonly string[], { timeoutMs }: { timeoutMs: number }): HeyOptions | { problem: string } {
  const read = goOptions(words, TAKES_VALUE);
  if ('problem' in read) return { problem: `hey: ${read.problem}` };
  const last = new Map(read.options);
  const unable = read.options.map(([name]) => NOT_HERE[name]).find((text) => text !== undefined);
  if (unable !== undefined) return { problem: unable };
  const [address] = read.rest;
  const target = address === undefined ? { problem: 'it names no address' } : requestUrl(address);
  if ('problem' in target) return { problem: `hey: ${target.problem}` };
  if (target.url.protocol === 'https:' && last.get('h2') === 'true')
    return { problem: 'hey -h2 over https is not done here: leave -h2 out' };
  const numbers = { n: 200, c: 50, q: 0, t: 20 };
  for (const name of ['n', 'c', 'q', 't'] as const) {
    const text = last.get(name);
    const value = text === undefined ? numbers[name] : Number(text.trim() || Number.NaN);
    if (!(name === 'q' ? Number.isFinite(value) && value >= 0 : Number.isInteger(value) && value >= (name === 't' ? 0 : 1)))
      return { problem: `hey -${name} must be a valid number` };
    numbers[name] = value;
  }
  const durationText = last.get('z');
  const durationMs = durationText === undefined ? undefined : parseDuration(durationText);
  if (durationText !== undefined && !durationMs) return { problem: 'hey -z must be a duration: write it like 1m or 30s' };
  if (durationMs !== undefined && durationMs > timeoutMs)
    return { problem: `hey -z is longer than the limit of a task (--timeout ${timeoutMs / 1000}s)` };
  if (durationMs === undefined && numbers.n < numbers.c) return { problem: 'hey -n cannot be less than -c' };
  if (numbers.c > MAX_WORKERS) return { problem: `hey -c is at most ${MAX_WORKERS} here` };
  const method = (last.get('m') ?? 'GET').toUpperCase();
  if (!METHODS.has(method)) return { problem: 'hey -m must be an HTTP method' };
  const lines = read.options.filter(([name]) => name === 'H').map(([, value]) => value);
  const headers: OutgoingHttpHeaders = { 'content-type': last.get('T') ?? 'text/html', 'user-agent': 'serin-loadtester' };
  if (last.get('disable-compression') !== 'true') headers['accept-encoding'] = 'gzip';
  const secrets = [...target.secrets];
  if (target.authorization) headers.authorization = target.authorization;
  for (const [option, name] of [
    ['A', 'Accept'],
    ['U', 'User-Agent'],
    ['host', 'Host'],
  ] as const) {
    const value = last.get(option);
    if (value !== undefined) lines.push(`${name}: ${value}`);
  }
  const account = last.get('a');
  if (account !== undefined) {
    lines.push(`Authorization: ${basicAuthorization(account)}`);
    secrets.push(account.slice(account.indexOf(':') + 1));
  }
  for (const line of lines) {
    const header = requestHeader(line);
    if ('problem' in header) return { problem: `hey: ${header.problem}` };
    headers[header.name.toLowerCase()] = header.value;
    secrets.push(...secretsOfHeader(header.name, header.value));
  }
  const type = requestHeader(`content-type: ${headers['content-type']}`);
  if ('problem' in type) return { problem: `hey: ${type.problem}` };
  return {
    url: target.url,
    method,
    headers,
    body: last.get('d') || undefined,
    workers: numbers.c,
    requests: numbers.n,
    durationMs,
    rate: numbers.q,
    timeoutMs: numbers.t * 1000,
    keepAlive: last.get('disable-keepalive') !== 'true',
    followRedirects: last.get('disable-redirects') !== 'true',
    secrets,
  };
}
