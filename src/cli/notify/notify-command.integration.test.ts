import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatServer, startChatServer } from '../../../test/contracts/notifiers/chat-server.ts';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import type { Raw } from '../../../test/fakes/raw.ts';
import { aCanary, withHooks } from '../../../test/fakes/world.ts';
import type { Metric } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { NotifyResult } from '../output/documents.ts';
import { Output } from '../output/output.ts';
import { alertKinds } from './alert-kinds.ts';
import { type NotifyFlags, notifyCommand } from './notify-command.ts';

const PLANTED = { path: 's3cret-path', token: 'xoxb-t0ken', signingKey: 's1gning-key' };
const folder = mkdtempSync(join(tmpdir(), 'serin-notify-'));
let chat: ChatServer;
beforeAll(async () => {
  chat = await startChatServer();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await chat.stop();
});

const provider = (name: string, spec: object): KubeObject =>
  ({ apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata: { name, namespace: 'test' }, spec }) as KubeObject;
const alert = (name: string, severity: 'info' | 'error' = 'info') => ({ name, severity, providerRef: { name } });

/** A Canary with alerts to a chat and to the on-call engineer, and to a provider that does not exist if `missing` is true. */
function aCluster({
  missing = false,
  alerts = true,
  metrics,
}: {
  missing?: boolean;
  alerts?: boolean;
  metrics?: Metric[];
} = {}): HeldCluster {
  const named = [alert('chat'), alert('pager', 'error'), ...(missing ? [alert('gone')] : [])];
  const encoded = (data: Record<string, string>) => Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)]));
  return new HeldCluster([
    JSON.parse(
      JSON.stringify(aCanary({ ...(alerts && { alerts: named }), ...(metrics && { metrics }), ...withHooks('confirm-promotion') })),
    ),
    provider('chat', { type: 'slack', channel: 'releases', secretRef: { name: 'chat' } }),
    provider('pager', { type: 'webhook', address: `${chat.origin}/pager` }),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'chat', namespace: 'test' },
      data: encoded({ address: `${chat.origin}/${PLANTED.path}`, token: PLANTED.token, signingKey: PLANTED.signingKey }),
    } as KubeObject,
  ]);
}

async function notify(cluster: HeldCluster, flags: Partial<NotifyFlags> = {}, { answer = true, isText = false } = {}) {
  chat.behaves({ kind: 'answers', status: 200, body: 'ok' });
  const said: string[] = [];
  const complained: string[] = [];
  const asked: string[] = [];
  const streams = { out: { write: (text: string) => said.push(text) }, err: { write: (text: string) => complained.push(text) } };
  const output = new Output(isText ? {} : { output: 'json' }, {}, streams);
  const ask = async (question: string) => {
    asked.push(question);
    return answer;
  };
  const exit = await notifyCommand(
    { cluster, namespace: 'test', output },
    'podinfo',
    { reason: 'Failed', ...flags },
    { ask, environment: {} },
  );
  const text = said.join('');
  for (const secret of Object.values(PLANTED)) expect(text + complained.join('')).not.toContain(secret);
  const receivers = !isText && text !== '' ? NotifyResult.parse(JSON.parse(text)).receivers : [];
  return { exit, text, receivers, asked, complained: complained.join(''), posts: [...chat.posts] };
}

describe('serin notify --dry-run', () => {
  it('shows the payload of each receiver and nothing of its Secret, and sends nothing', async () => {
    const { exit, receivers, asked, posts } = await notify(aCluster(), {
      dryRun: true,
      clusterName: 'eu-1',
      dashboardUrl: 'https://serin.example',
    });
    expect([exit, asked, posts]).toEqual(['done', [], []]);
    expect(receivers).toMatchObject([
      {
        ...{ provider: 'test/chat', type: 'slack', outcome: 'shown' },
        payload: {
          channel: 'releases',
          attachments: [
            {
              color: 'danger',
              author_link: 'https://serin.example/canaries/test/podinfo',
              text: 'Test message: an alert of the kind Failed about test/podinfo',
            },
          ],
        },
      },
      {
        provider: 'test/pager',
        type: 'webhook',
        outcome: 'shown',
        payload: { reason: 'Failed', details: { checks: [{ verdict: 'failed' }] } },
      },
    ]);
    expect(JSON.stringify(receivers[0])).toContain('"title":"Cluster","value":"eu-1"');
  });

  it('says whom the alert does not concern', async () => {
    const { receivers } = await notify(aCluster(), { dryRun: true, reason: 'GateClosed' });
    expect(receivers.map(({ provider: name, outcome }) => `${name} ${outcome}`)).toEqual(['test/chat shown', 'test/pager filtered']);
    expect(JSON.stringify(receivers[0])).toContain('serin promote podinfo --namespace test');
  });

  it.each(Object.keys(alertKinds) as NotifyFlags['reason'][])('makes an alert of the kind %s', async (reason) => {
    const { exit, receivers } = await notify(aCluster(), { dryRun: true, reason, provider: 'chat' });
    expect([exit, receivers.map(({ outcome }) => outcome)]).toEqual(['done', ['shown']]);
    expect(JSON.stringify(receivers)).toContain(`of the kind ${reason}`);
  });

  it.each<{ metric: Metric; value?: number; limit?: string }>([
    { metric: { name: 'request-success-rate', thresholdRange: { min: 98, max: 100 } }, value: 93.1, limit: '98% to 100%' },
    { metric: { name: 'request-duration', thresholdRange: { max: 500 } }, value: 600, limit: 'at most 500ms' },
    { metric: { name: 'errors', thresholdRange: { min: 0, max: 0.01 } }, value: 0.012, limit: '0 to 0.01' },
    { metric: { name: 'queue', threshold: 0 }, value: 1, limit: 'at most 0' },
    { metric: { name: 'any', thresholdRange: {} } },
    { metric: { name: 'beside', baseline: { maxRatio: 2 } } },
  ])('a failed check of $metric.name has a value outside its own limit, if it has one', async ({ metric, value, limit }) => {
    const observed: Metric = { name: 'observed', mode: 'observe', thresholdRange: { max: 1 } };
    const { receivers } = await notify(aCluster({ metrics: [observed, metric] }), { dryRun: true, provider: 'pager' });
    const payload: Raw = receivers[0]?.payload;
    const [check, ...more] = payload.details.checks;
    expect([check.check, check.verdict, check.value, check.limit, more]).toEqual([metric.name, 'failed', value, limit, []]);
  });

  it('prints text for users', async () => {
    const { text } = await notify(aCluster(), { dryRun: true, provider: 'test/pager' }, { isText: true });
    expect(text).toMatch(/^test\/pager \(webhook\): would get\n\{\n {2}"key": "test\//);
  });

  it('without the right to read the Secret shows the rest, and says so', async () => {
    const cluster = aCluster();
    cluster.forbidden.add('Secret');
    const { exit, receivers } = await notify(cluster, { dryRun: true, provider: 'chat' });
    expect([exit, receivers[0]?.outcome, receivers[0]?.message]).toEqual([
      'done',
      'shown',
      'its Secret cannot be read with these credentials',
    ]);
  });

  it('without alerts shows what a global receiver would get', async () => {
    const { exit, receivers } = await notify(aCluster({ alerts: false }), { dryRun: true });
    expect([exit, receivers.map(({ provider: name, outcome }) => `${name} ${outcome}`)]).toEqual([
      'done',
      ['--slack-url shown', '--msteams-url shown'],
    ]);
  });

  it('has the text of a template, and names the mistake in one', async () => {
    const file = join(folder, 'templates.yaml');
    writeFileSync(file, 'Failed: "{{name}} is bad"\n');
    const { receivers } = await notify(aCluster(), { dryRun: true, provider: 'pager', messageTemplatesFile: file });
    expect(receivers[0]?.payload).toMatchObject({ message: 'podinfo is bad' });
    writeFileSync(file, 'Failed: "{{nme}}"\n');
    const wrong = notify(aCluster(), { dryRun: true, messageTemplatesFile: file });
    await expect(wrong).rejects.toThrow(/^--message-templates-file: .*templates\.yaml: Failed: \{\{nme}} is not a variable here/);
  });
});

describe('serin notify', () => {
  it('asks the user, sends a test message to each receiver, and says so', async () => {
    const { exit, receivers, asked, posts } = await notify(aCluster());
    expect(asked).toEqual(['Send a test alert of the kind Failed to test/chat, test/pager?']);
    expect([exit, receivers.map(({ outcome }) => outcome)]).toEqual(['done', ['sent', 'sent']]);
    expect(posts.map(({ path }) => path)).toEqual([`POST /${PLANTED.path}`, 'POST /pager']);
    expect(posts[0]?.headers.authorization).toBe(`Bearer ${PLANTED.token}`);
    expect(posts[0]?.body).toContain('Test message: ');
  });

  it('sends nothing when the user says no', async () => {
    const { exit, complained, posts } = await notify(aCluster(), {}, { answer: false });
    expect([exit, complained, posts]).toEqual(['done', 'Nothing was sent.\n', []]);
  });

  it('does not ask the user with --yes, and exits with 1 if one receiver fails', async () => {
    const { exit, receivers, asked } = await notify(aCluster({ missing: true }), { yes: true });
    expect([exit, asked]).toEqual(['no', []]);
    expect(receivers.map(({ outcome, message }) => `${outcome} ${message ?? ''}`)).toEqual([
      'sent ',
      'sent ',
      'failed it does not exist: create it, or correct providerRef',
    ]);
  });

  it.each([
    {
      flags: { provider: 'pgaer' },
      error: '--provider pgaer: spec.analysis.alerts of Canary podinfo does not name it: use one of test/chat, test/pager',
    },
    { flags: { dashboardUrl: 'serin' }, error: '--dashboard-url: ' },
  ])('$error', async ({ flags, error }) => {
    await expect(notify(aCluster(), flags)).rejects.toThrow(error);
  });

  it('has no address of a global receiver, and names the remedies', async () => {
    await expect(notify(aCluster({ alerts: false }))).rejects.toThrow('add --dry-run to see what it gets, or name an AlertProvider');
  });
});
