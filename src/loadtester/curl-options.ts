import type { OutgoingHttpHeaders } from 'node:http';
import { type CurlWords, curlWords } from './curl-words.ts';
import { basicAuthorization, requestHeader, requestUrl, secretsOfHeader } from './request-headers.ts';

export interface CurlOptions {
  requests: readonly { url: URL; headers: OutgoingHttpHeaders }[];
  method: string;
  body: string | undefined;
  /** Treats statuses from 400 as a failure; `with-body` also shows their body. */
  fail: 'no' | 'yes' | 'with-body';
  /** Shows the status line and headers. */
  include: boolean;
  redirects: number;
  verifyTls: boolean;
  /** Shows the body. */
  show: boolean;
  writeOut: string;
  /** Requests a compressed response and unpacks it. */
  compressed: boolean;
  /** Shows the request line, and status and headers of the response, where errors are shown. */
  verbose: boolean;
  /** Only addresses of this IP version. */
  family: 4 | 6 | undefined;
  /** Time of each attempt; 0: unlimited. */
  timeoutMs: number;
  /** The part of it until a connection exists; 0: unlimited. */
  connectMs: number;
  retries: number;
  retryDelayMs: number | undefined;
  /** From the first attempt until the last one begins; 0: unlimited. */
  retryWithinMs: number;
  retryOnRefused: boolean;
  retryAlways: boolean;
  secrets: readonly string[];
}

const MOST_ADDRESSES = 10;
/** May be an IPv6 address in brackets. */
const HOST = /^([a-z]+:\/\/)?([^@/]*@)?\[[\da-f:.%]+\]/i;
const WRITE_OUT = /%\{([^}]{0,99})\}/g;
/** Variables of `-w`. */
export const writeOutVariables = ['http_code', 'response_code', 'size_download', 'time_total', 'content_type'] as const;

/** The options of `curl`, as far as they need no file and no shell; `problem` is for the Canary's event. */
export function curlOptions(words: readonly string[]): CurlOptions | { problem: string } {
  const read = curlWords(words);
  if ('problem' in read) return read;
  const last = new Map(read.options);
  const has = (name: string) => last.has(name);
  const problem = problemOf(read, last);
  if (problem !== undefined) return { problem: `curl: ${problem}` };
  const body = bodyOf(read);
  const base: Record<string, string> = { 'user-agent': 'serin-loadtester', accept: '*/*' };
  if (body !== undefined && !has('get')) base['content-type'] = has('json') ? 'application/json' : 'application/x-www-form-urlencoded';
  if (has('json')) base.accept = 'application/json';
  if (has('compressed')) base['accept-encoding'] = 'gzip';
  const secrets: string[] = [];
  const lines = read.options.flatMap(([name, value]) => {
    if (name === 'header') return [value];
    if (name === 'user-agent' || name === 'referer' || name === 'cookie') return [`${name}: ${value}`];
    return name === 'user' ? [`authorization: ${basicAuthorization(value)}`] : [];
  });
  const account = last.get('user');
  if (account?.includes(':')) secrets.push(account.slice(account.indexOf(':') + 1));
  for (const line of lines) {
    const empty = /^([^:;]+);$/.exec(line)?.[1];
    const header = requestHeader(empty === undefined ? line : `${empty}:`);
    if ('problem' in header) return { problem: `curl: ${header.problem}` };
    const name = header.name.toLowerCase();
    // `Name:` takes a header away, `Name;` sends it empty.
    if (header.value === '' && empty === undefined) delete base[name];
    else base[name] = header.value;
    secrets.push(...secretsOfHeader(header.name, header.value));
  }
  const requests: { url: URL; headers: OutgoingHttpHeaders }[] = [];
  for (const address of read.addresses) {
    const target = requestUrl(address);
    if ('problem' in target) return { problem: `curl: ${target.problem}` };
    if (has('get') && body) target.url.search = [target.url.search.slice(1), body].filter((part) => part !== '').join('&');
    requests.push({ url: target.url, headers: { ...(target.authorization && { authorization: target.authorization }), ...base } });
    secrets.push(...target.secrets);
  }
  const number = (name: string, otherwise: number) => (has(name) ? Number(last.get(name)) : otherwise);
  return {
    requests,
    method: last.get('request') ?? (has('head') ? 'HEAD' : body === undefined || has('get') ? 'GET' : 'POST'),
    body: has('get') ? undefined : body,
    fail: has('fail-with-body') ? 'with-body' : has('fail') ? 'yes' : 'no',
    include: has('include') || has('head'),
    redirects: has('location') ? number('max-redirs', 50) : 0,
    verifyTls: !has('insecure'),
    show: !has('output'),
    writeOut: last.get('write-out') ?? '',
    compressed: has('compressed'),
    verbose: has('verbose'),
    family: last.has('ipv6') ? 6 : last.has('ipv4') ? 4 : undefined,
    timeoutMs: number('max-time', 0) * 1000,
    connectMs: number('connect-timeout', 0) * 1000,
    retries: number('retry', 0),
    retryDelayMs: has('retry-delay') ? number('retry-delay', 0) * 1000 : undefined,
    retryWithinMs: number('retry-max-time', 0) * 1000,
    retryOnRefused: has('retry-connrefused'),
    retryAlways: has('retry-all-errors'),
    secrets,
  };
}

function problemOf({ options, addresses }: CurlWords, last: ReadonlyMap<string, string>): string | undefined {
  if (addresses.length === 0) return 'it names no address';
  if (addresses.length > MOST_ADDRESSES) return `it names more than ${MOST_ADDRESSES} addresses`;
  if (last.has('ipv4') && last.has('ipv6')) return '--ipv4 and --ipv6 exclude each other: leave one out';
  if (!last.has('globoff') && addresses.some((address) => /[{}[\]]/.test(address.replace(HOST, ''))))
    return 'its address has a range or list in brackets: write each address, or --globoff if they are meant so';
  for (const [name, value] of options) {
    const fromFile =
      name === 'data-urlencode'
        ? /^[^=]*@/.test(value)
        : ['data', 'data-ascii', 'data-binary', 'json', 'header'].includes(name) && value.startsWith('@');
    if (fromFile) return `--${name} reads a file of the load tester: write the text itself`;
    if (name === 'cookie' && !value.includes('=')) return '--cookie reads a file of the load tester: write name=value';
    if (name === 'output' && value !== '/dev/null') return '--output writes a file of the load tester: only /dev/null is possible';
    if (name === 'request' && !/^[A-Za-z]{1,20}$/.test(value)) return '--request must be an HTTP method';
    if (
      ['max-time', 'connect-timeout', 'retry', 'retry-delay', 'retry-max-time', 'max-redirs'].includes(name) &&
      !/^\d{1,6}(\.\d+)?$/.test(value)
    )
      return `--${name} must be a valid number`;
  }
  if (last.get('request')?.toUpperCase() === 'CONNECT') return '--request CONNECT is not supported';
  const unknown = [...(last.get('write-out') ?? '').matchAll(WRITE_OUT)].find(
    ([, name]) => !writeOutVariables.some((known) => known === name),
  );
  if (unknown || last.get('write-out')?.startsWith('@'))
    return `--write-out knows ${writeOutVariables.map((name) => `%{${name}}`).join(', ')} here`;
  return undefined;
}

function bodyOf({ options }: CurlWords): string | undefined {
  const parts = options.flatMap(([name, value]) => {
    if (name === 'data-urlencode') return [urlEncoded(value)];
    // curl removes line ends unless the data is binary.
    if (name === 'data' || name === 'data-ascii') return [value.replace(/[\r\n]/g, '')];
    return name === 'data-raw' || name === 'data-binary' || name === 'json' ? [value] : [];
  });
  return parts.length === 0 ? undefined : parts.join(options.some(([name]) => name === 'json') ? '' : '&');
}

function urlEncoded(text: string): string {
  const equals = text.indexOf('=');
  if (equals < 1) return encodeURIComponent(text.slice(equals + 1));
  return `${text.slice(0, equals)}=${encodeURIComponent(text.slice(equals + 1))}`;
}
