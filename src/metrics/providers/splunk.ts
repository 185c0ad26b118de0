import { withoutTrailing } from '../../base/text-search.ts';
import { baseUrl } from '../http/base-url.ts';
import { sendRequest } from '../http/send-request.ts';
import { withinTimeout } from '../http/within-timeout.ts';
import { pickSample, type SampleRule } from '../samples.ts';
import { type MakeBackend, secretKeys, transportOf, windowOf, wrongField } from './backend.ts';

const WHO = 'Splunk';
const INTERVALS = 10;
const RULE: SampleRule = { series: 'last', sample: 'last', null: 'skip', empty: 'noData', nan: 'keep' };

/** Splunk Observability Cloud: a SignalFlow program over a WebSocket that lives as long as the check. */
export const splunk: MakeBackend = (source) => {
  const { provider, nowMs, choice } = source;
  if (!provider.address) return wrongField('spec.provider.address', 'is required');
  const keys = secretKeys(source, ['sf_token_key']);
  if ('problem' in keys) return keys;
  const window = windowOf(source, INTERVALS);
  if (typeof window !== 'number') return window;
  const urls = splunkUrls(provider.address);
  if (!urls) return wrongField('spec.provider.address', 'must be an http, https, ws or wss URL');
  const token = keys.sf_token_key;
  const options = (signal: AbortSignal) => ({ who: WHO, ...transportOf(source), secrets: [token], signal });
  return {
    async runQuery(program, signal) {
      const run = { url: urls.stream, token, program, startMs: nowMs - window, stopMs: nowMs, transport: transportOf(source) };
      const { runSignalFlow } = await import('./signalflow/run-signalflow.ts');
      const found = await withinTimeout((within) => runSignalFlow({ ...run, signal: within }), options(signal));
      // More than one series has always been an error here; a template can choose.
      return 'kind' in found ? found : pickSample(found.series, RULE, { ...choice, reduce: choice.reduce ?? 'error' });
    },
    async isOnline(signal) {
      const response = await sendRequest({ url: urls.probe, headers: { 'x-sf-token': token } }, options(signal));
      if ('kind' in response) return response.reason;
      return response.status === 200 ? undefined : `${WHO} answered ${response.status}`;
    },
  };
};

/** The streaming host and the API host differ in their first word, and either can be in the template. */
export function splunkUrls(address: string): { stream: URL; probe: URL } | undefined {
  const probe = baseUrl(address.replace('ws', 'http').replace('stream', 'api'), '/v2/metric', { limit: '1' });
  const stream = URL.parse(`${withoutTrailing(address.replace('http', 'ws').replace('api', 'stream'), '/')}/v2/signalflow/connect`);
  return probe && stream && ['ws:', 'wss:'].includes(stream.protocol) ? { stream, probe } : undefined;
}
