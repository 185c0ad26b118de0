import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';
import { loopback, type Network } from '../../../src/embedded/network.ts';
import { frameOf } from '../../contracts/metric-backends/splunk.ts';

/** `always`, `once` (then good answers) or never. */
export type Refusing = 'always' | 'once' | 'never';

export interface EchoServer {
  readonly origin: string;
  /** Received requests in their order; the path is without its query. */
  readonly seen: { path: string; body: string }[];
  /** Applies from now on to the paths below a first segment; `once` counts for each path. */
  refuses(first: string, how: Refusing): void;
  stop(): Promise<void>;
}

const vector = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [1, '1'] }] } });

/** Good answer of each kind of endpoint: backends answer the number 1. */
export const good: Readonly<Record<string, string>> = {
  server: vector,
  prometheus: vector,
  datadog: '{"series":[{"pointlist":[[1,1]]}]}',
  newrelic: '{"results":[{"result":1}]}',
  graphite: '[{"target":"t","datapoints":[[1,1]]}]',
  influxdb: '#datatype,string,long,double\n#group,false,false,false\n#default,_result,,\n,result,table,_value\n,,0,1\n',
  dynatrace: '{"result":[{"data":[{"timestamps":[1],"values":[1]}]}]}',
  stackdriver: '{"timeSeriesData":[{"pointData":[{"values":[{"doubleValue":1}]}]}]}',
  cloudwatch: '{"MetricDataResults":[{"Id":"m","Values":[1],"Timestamps":[1]}]}',
  externalmetrics: '{"kind":"ExternalMetricValueList","items":[{"value":"1"}]}',
  alerts: 'ok',
};

/** Refusal of each kind of endpoint, with its error text in the usual field, or the reason for which no text is shown. */
export const refusals: Readonly<Record<string, ((words: string) => object) | string>> = {
  server: (error) => ({ status: 'error', errorType: 'bad_data', error }),
  prometheus: (error) => ({ status: 'error', errorType: 'bad_data', error }),
  datadog: (words) => ({ errors: [words] }),
  newrelic: (error) => ({ error }),
  graphite: 'Graphite refuses with a page, and nothing of it is shown',
  influxdb: (message) => ({ code: 'invalid', message }),
  dynatrace: (message) => ({ error: { code: 400, message } }),
  stackdriver: (message) => ({ error: { code: 400, message } }),
  cloudwatch: (message) => ({ __type: 'com.amazonaws.cloudwatch#ValidationError', message }),
  externalmetrics: (message) => ({ kind: 'Status', reason: message, message }),
};

/** A server that refuses with all that it knows of the caller: the address, the headers, what they hold in base64 and what that means. */
export async function startEchoServer(network: Network = loopback): Promise<EchoServer> {
  const seen: { path: string; body: string }[] = [];
  const refusing = new Map<string, Refusing>();
  const asked = new Set<string>();
  let count = 0;

  const isRefused = (path: string) => {
    const how = refusing.get(firstOf(path)) ?? 'never';
    const isFirst = !asked.has(path);
    asked.add(path);
    return how === 'always' || (how === 'once' && isFirst);
  };
  const echo = ({ url = '', headers }: IncomingMessage, body: string): string => {
    const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const all = JSON.stringify(headers);
    const parts = [String(headers.authorization), url, decodeURIComponent(url), Buffer.from(basic, 'base64').toString(), all];
    const rest = [Buffer.from(all).toString('base64'), body, Buffer.from(body).toString('base64url'), encodeURIComponent(all)];
    // A message only shows the beginning of a refusal: each time it is another part.
    const words = [...parts, ...rest];
    count += 1;
    return [...words.slice(count % words.length), ...words.slice(0, count % words.length)].join(' ');
  };

  const server = createServer(async (request, response) => {
    const body = await text(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    seen.push({ path, body });
    const first = firstOf(path);
    if (!isRefused(path)) response.writeHead(200, { 'content-type': 'application/json' }).end(good[first] ?? '{}');
    else {
      const words = echo(request, body);
      const refusal = refusals[first];
      response.writeHead(first === 'alerts' ? 503 : 400).end(typeof refusal === 'function' ? JSON.stringify(refusal(words)) : words);
    }
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (open) => {
      const messages: string[] = [];
      open.on('message', (data) => {
        messages.push(String(data));
        if (messages.length < 2) return;
        const path = request.url ?? '';
        if (isRefused(path)) open.send(JSON.stringify({ type: 'error', error: 400, message: echo(request, messages.join()) }));
        else {
          open.send(frameOf({ 1: 1 }));
          open.send(JSON.stringify({ channel: 'ch-1', type: 'control-message', event: 'END_OF_CHANNEL' }));
        }
      });
    });
  });
  const listener = await network.listen(server);
  return {
    origin: listener.url,
    seen,
    refuses(first, how) {
      refusing.set(first, how);
      for (const path of asked) if (firstOf(path) === first) asked.delete(path);
    },
    stop: () => {
      for (const socket of sockets.clients) socket.terminate();
      return listener.close(true);
    },
  };
}

const firstOf = (path: string): string => path.split('/')[1] ?? '';
