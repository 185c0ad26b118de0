import * as z from 'zod';
import { parseQuantity } from '../../api/quantity.ts';
import { decodedUri } from '../../base/decoded-uri.ts';
import { baseUrl } from '../http/base-url.ts';
import type { SampleRule } from '../samples.ts';
import { type MakeBackend, optionalSecret, requestTo, secretKeys, wrongAddress } from './backend.ts';
import { foreignNamespaceProblem, statusReason } from './cluster-query.ts';
import { jsonBackend } from './json-backend.ts';

const API = '/apis/external.metrics.k8s.io/v1beta1';
const RULE: SampleRule = { series: 'first', sample: 'first', null: 'noData', empty: 'noData', nan: 'keep' };

const Quantity = z.union([z.string(), z.number()]).transform((text, context) => {
  const value = parseQuantity(String(text));
  if (value === undefined) context.addIssue({ code: 'custom', message: 'no quantity' });
  return value ?? z.NEVER;
});
const ResponseBody = z.object({ items: z.array(z.object({ value: Quantity })) });

/**
 * The External Metrics API of Kubernetes: of the cluster itself, with the controller's identity; or at the address of the template, only with the
 * token of its Secret.
 */
export const externalmetrics: MakeBackend = (source) => {
  const { address } = source.provider;
  if (address && !baseUrl(address, '')) return wrongAddress;
  const keys = address && optionalSecret(source) ? secretKeys(source, ['token']) : { token: '' };
  if ('problem' in keys) return keys;
  const request = (path: string, labelSelector?: string) => requestOf(address, keys.token, path, labelSelector);
  return jsonBackend({
    who: address ? 'The metrics API' : 'The metrics API of the cluster',
    source,
    secrets: [keys.token],
    request(query) {
      const read = readExternalQuery(query, address ? undefined : source.namespace);
      if ('problem' in read) return read;
      // At its own address the token there decides.
      const problem = address ? undefined : foreignNamespaceProblem(read.namespace, source.namespace);
      return problem !== undefined ? { problem } : request(`${API}/namespaces/${read.namespace}/${read.metric}`, read.selector);
    },
    read: (json) => ResponseBody.safeParse(json).data?.items.map(({ value }) => [value]),
    rule: RULE,
    // Checks that the API is served: a working adapter does not know the metric of the probe.
    probe: () => request(API),
    errorText: statusReason,
  });
};

function requestOf(address: string | undefined, token: string, path: string, labelSelector?: string) {
  const query = labelSelector ? { labelSelector } : undefined;
  if (!address) return { path: query ? `${path}?${new URLSearchParams(query)}` : path };
  return requestTo(address, path, query ?? {}, token ? { authorization: `Bearer ${token.trim()}` } : {});
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** `[{namespace}/]{metric}[?labelSelector=…]`, whose parts are already encoded for a path. */
export function readExternalQuery(
  query: string,
  absent = 'default',
): { namespace: string; metric: string; selector: string } | { problem: string } {
  const [path = '', ...search] = query.trim().split('?');
  const parts = decodedUri(path)?.replace(/^\//, '').split('/');
  const [namespace, metric] = parts?.length === 1 ? [absent, parts[0]] : [parts?.[0] || absent, parts?.[1]];
  // Names are parts of a path: none of them must lead elsewhere in it.
  if (!parts || parts.length > 2 || !metric || metric === '.' || metric === '..' || !NAMESPACE.test(namespace))
    return { problem: `the query ${JSON.stringify(query.trim().slice(0, 80))} is not [namespace/]metric[?labelSelector=…]` };
  const selector = new URLSearchParams(search.join('?')).get('labelSelector') ?? '';
  return { namespace, metric: encodeURIComponent(metric.toWellFormed()), selector };
}
