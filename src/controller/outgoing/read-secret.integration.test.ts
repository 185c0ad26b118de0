import { expect, it } from 'vitest';
import { startChatServer } from '../../../test/contracts/notifiers/chat-server.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { serverOf } from '../../metrics/metrics-source.ts';
import { templateBackend } from '../../metrics/template-backend.ts';
import { callWebhook } from '../../webhooks/call-webhook.ts';
import { ControllerConfig } from '../config.ts';
import { alertSender } from '../notifications/send-alert.ts';
import { secretReader } from './read-secret.ts';

const signal = AbortSignal.timeout(60_000);
const TOKEN = 'pl4nted-t0ken';

/** A cluster with one Secret, which an attacker names in each field; `sent` is what reached the address of the attacker's choice. */
async function attacked(attack: { type?: string; mark?: string; requireSecretLabel?: boolean; data?: Record<string, string> }) {
  const { type = 'Opaque', mark, requireSecretLabel = false } = attack;
  const receiver = await startChatServer();
  receiver.behaves({ kind: 'answers', status: 200 });
  const address = receiver.origin;
  const data = attack.data ?? { token: TOKEN, signingKey: TOKEN, 'header.X-Key': TOKEN, 'ca.crt': 'none' };
  let requests = 0;
  const cluster = {
    get: async (ref: ObjectRef): Promise<KubeObject> => {
      if (ref.kind === 'AlertProvider')
        return { ...ref, metadata: { name: 'chat', namespace: 'test' }, spec: { type: 'webhook', address, secretRef: { name: 'keys' } } };
      requests += 1;
      const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
      const metadata = { name: 'keys', namespace: 'test', ...(mark !== undefined && { labels: { 'serin.dev/usable-by': mark } }) };
      return { apiVersion: 'v1', kind: 'Secret', type, metadata, data: Object.fromEntries(encoded) };
    },
  };
  const config = ControllerConfig.parse({ requireSecretLabel });
  const secret = secretReader(cluster, config, signal);
  const secretRef = { name: 'keys' };
  const canary = aCanary({}, { metricsServer: address, metricsServerSecretRef: secretRef });
  const templateOf = async (reference: object) => {
    const template = async () => ({ spec: { provider: { type: 'prometheus', address, ...reference }, query: 'q' } });
    const found = await templateBackend({ name: 'm', templateRef: { name: 't' } }, 'test', {
      template,
      secret,
      nowMs: 0,
      timeoutMs: 60_000,
    });
    return 'problem' in found ? found : found.backend.runQuery('q', signal);
  };
  const payload = { name: 'podinfo', namespace: 'test', phase: 'Progressing', checksum: '1', metadata: {} };
  const send = alertSender({ config, cluster, secret, global: undefined });
  const delivery = {
    ...({ key: 'k', kind: 'alert', outcome: 'Failed', message: 'm', sinceMs: 0 } as const),
    alert: { reason: 'Failed', severity: 'error' as const, to: { namespace: 'test', name: 'chat' }, fields: [] },
  };
  const answers = {
    'spec.metricsServerSecretRef': await serverOf(canary, { metricsServer: address, secret, timeoutMs: 60_000 }).runQuery('q', signal),
    'spec.analysis.webhooks[].secretRef': await callWebhook({ name: 'h', url: address, secretRef }, payload as never, {
      key: 'k',
      signal,
      secret,
    }),
    'spec.provider.secretRef': await templateOf({ secretRef }),
    'spec.provider.caSecretRef': await templateOf({ caSecretRef: secretRef }),
    'spec.secretRef': await send(canary, delivery as never, signal),
  };
  await receiver.stop();
  const refused = Object.entries(answers).flatMap(([field, answer]) =>
    JSON.stringify(answer).includes(`is not allowed for ${field}`) ? [field] : [],
  );
  return { refused, shown: JSON.stringify(answers), sent: receiver.posts.length, requests };
}

const every = [
  'spec.metricsServerSecretRef',
  'spec.analysis.webhooks[].secretRef',
  'spec.provider.secretRef',
  'spec.provider.caSecretRef',
  'spec.secretRef',
];

it('DF614: the token of a service account is sent nowhere, by any field that names it', async () => {
  const { refused, shown, sent, requests } = await attacked({ type: 'kubernetes.io/service-account-token', mark: 'canaries' });
  expect({ refused, sent, requests }).toEqual({ refused: every, sent: 0, requests: every.length });
  expect(shown).not.toContain(TOKEN);
});

it('DF614: with requireSecretLabel a Secret without the label is sent nowhere, and otherwise only metricsServerSecretRef refuses it', async () => {
  expect(await attacked({ requireSecretLabel: true })).toMatchObject({ refused: every, sent: 0, requests: every.length });
  const usual = await attacked({});
  expect(usual.refused).toEqual(['spec.metricsServerSecretRef']);
  expect(usual.sent).toBeGreaterThan(0);
});

it('DF614: a Secret that is marked for AlertProviders is of use only to them', async () => {
  const { refused } = await attacked({ requireSecretLabel: true, mark: 'alertproviders' });
  expect(refused).toEqual(every.slice(0, -1));
});

it('DF614: a Secret whose only key is called problem or reason is never shown', async () => {
  for (const key of ['problem', 'reason']) {
    const { shown } = await attacked({ mark: 'canaries', data: { [key]: TOKEN } });
    expect(shown).not.toContain(TOKEN);
  }
});
