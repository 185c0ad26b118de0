import { expect, it } from 'vitest';
import { RefusedSecret, type SecretField, secretRefusal } from './secret-use.ts';

const fields: SecretField[] = [
  'spec.metricsServerSecretRef',
  'spec.analysis.webhooks[].secretRef',
  'spec.provider.secretRef',
  'spec.provider.caSecretRef',
  'spec.secretRef',
];
const secret = ({ type, mark }: { type?: string; mark?: string } = {}) => ({
  ...{ apiVersion: 'v1', kind: 'Secret' },
  metadata: { name: 'keys', namespace: 'shop', ...(mark !== undefined && { labels: { 'serin.dev/usable-by': mark } }) },
  ...(type !== undefined && { type }),
  data: { token: Buffer.from('pl4nted').toString('base64') },
});
const everyUse = 'canaries.metrictemplates.alertproviders';

it.each([
  'kubernetes.io/service-account-token',
  'bootstrap.kubernetes.io/token',
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/dockercfg',
  'kubernetes.io/ssh-auth',
  'helm.sh/release.v1',
  'cluster.x-k8s.io/secret',
  'addons.cluster.x-k8s.io/resource-set',
  'istio.io/ca-root',
  'serin.dev/salt',
])('DF614: no field may use a Secret of type %s, marked or not', (type) => {
  for (const field of fields) {
    for (const isLabelRequired of [true, false]) {
      const refused = secretRefusal(secret({ type, mark: everyUse }), field, { isLabelRequired });
      expect(refused).toBeInstanceOf(RefusedSecret);
      for (const part of ['shop/keys', field, type]) expect(refused?.reason).toContain(part);
      expect(refused?.reason).not.toContain('pl4nted');
    }
  }
});

it.each([undefined, 'Opaque', 'kubernetes.io/tls', 'kubernetes.io/basic-auth', 'acme.test/kubernetes.io', 'mykubernetes.io/x'])(
  'DF614: every field may use a marked Secret of type %s',
  (type) => {
    for (const field of fields) {
      expect(secretRefusal(secret({ ...(type && { type }), mark: everyUse }), field, { isLabelRequired: true })).toBeUndefined();
    }
  },
);

it('DF614: without the flag only metricsServerSecretRef requires the label, and with it every field does', () => {
  const refusedWith = (isLabelRequired: boolean) => fields.filter((field) => secretRefusal(secret(), field, { isLabelRequired }));
  expect(refusedWith(false)).toEqual(['spec.metricsServerSecretRef']);
  expect(refusedWith(true)).toEqual(fields);
});

it.each<{ mark: string | undefined; field: SecretField; command: string | undefined }>([
  { mark: undefined, field: 'spec.metricsServerSecretRef', command: 'serin.dev/usable-by=canaries' },
  { mark: '', field: 'spec.secretRef', command: 'serin.dev/usable-by=alertproviders --overwrite' },
  {
    mark: 'metrictemplates',
    field: 'spec.metricsServerSecretRef',
    command: 'serin.dev/usable-by=metrictemplates.canaries --overwrite',
  },
  { mark: 'true', field: 'spec.provider.secretRef', command: 'serin.dev/usable-by=true.metrictemplates --overwrite' },
  { mark: 'Canaries', field: 'spec.metricsServerSecretRef', command: 'serin.dev/usable-by=Canaries.canaries --overwrite' },
  { mark: 'canaries', field: 'spec.metricsServerSecretRef', command: undefined },
  { mark: 'alertproviders.canaries', field: 'spec.analysis.webhooks[].secretRef', command: undefined },
  { mark: 'metrictemplates', field: 'spec.provider.caSecretRef', command: undefined },
])('DF614: the mark $mark is judged for $field: $command', ({ mark, field, command }) => {
  const refused = secretRefusal(secret(mark === undefined ? {} : { mark }), field, { isLabelRequired: true });
  const last = refused?.reason.slice(refused.reason.indexOf('kubectl'));
  expect(last).toBe(command && `kubectl label secret keys --namespace shop ${command}`);
});
