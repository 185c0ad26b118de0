import { type MetricProviderType, metricProviders } from '../../api/metric-template.ts';
import { hideSecrets, userInfoOf } from '../../base/hide-secrets.ts';
import { type BackendSource, type MakeBackend, wrongField } from './backend.ts';
import * as listed from './backends.ts';
import type { MetricProvider } from './metric-provider.ts';

/** A type of the API without a backend, or the reverse, does not compile. */
export const backends: Readonly<Record<MetricProviderType, MakeBackend>> & Record<Exclude<keyof typeof listed, MetricProviderType>, never> =
  listed;

/** A missing type is Prometheus, as in Flagger; an unknown one is an error. */
export const backendFor: MakeBackend = (source) => {
  const { type = 'prometheus' } = source.provider;
  if (!Object.hasOwn(backends, type))
    return wrongField('spec.provider.type', `${type} is unknown; known are ${metricProviders.join(', ')}`);
  const made = backends[type as MetricProviderType](source);
  return 'problem' in made ? made : withoutSecrets(made, source);
};

/** Shorter values of a Secret are names: of a project, an organization, an account. */
const SHORTEST_SECRET = 6;

/** Each backend conceals the values that it sends; this last filter also conceals all values of their Secret and address. */
function withoutSecrets(backend: MetricProvider, { provider, secret = {} }: BackendSource): MetricProvider {
  const values = [
    ...Object.values(secret),
    ...Object.values(provider.headers ?? {}).flat(),
    ...userInfoOf(provider.address),
    ...userInfoOf(provider.proxy),
  ];
  const secrets = values.filter((value) => value.length >= SHORTEST_SECRET);
  return {
    async runQuery(query, signal) {
      const measured = await backend.runQuery(query, signal);
      return measured.kind === 'value' ? measured : { ...measured, reason: hideSecrets(measured.reason, secrets) };
    },
    async isOnline(signal) {
      const reason = await backend.isOnline(signal);
      return reason === undefined ? undefined : hideSecrets(reason, secrets);
    },
  };
}
