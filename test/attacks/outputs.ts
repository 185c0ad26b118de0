import { expect } from 'vitest';
import { peopleFileOf } from '../scenarios/environment.ts';
import { serin } from '../scenarios/serin.ts';
import { type AttackClass, attack, numbered } from './run/attack.ts';
import { json } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const ESC = '\u001b]0;owned\u0007\u001b[2J\u001b[31m';
const TURNED = '\u202egnirts\u2066';
/** Characters that a terminal or a reader obeys. */
const isObeyed = (text: string) =>
  [...text].some((one) => {
    const code = one.codePointAt(0) ?? 0;
    const isControl = (code < 0x20 && one !== '\n') || (code >= 0x7f && code < 0xa0);
    return isControl || (code >= 0x200e && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  });
const commands = [['status'], ['why'], ['history'], ['list']];

/** Output about this Canary on an operator's terminal. */
const plain = {
  async holds(tenant: Tenant) {
    await tenant.until('a word', ({ conditions }) => conditions.length > 0);
    for (const [command = ''] of commands) {
      const args = command === 'list' ? ['list', '--namespace', tenant.namespace] : [command, tenant.name, '--namespace', tenant.namespace];
      const { said, complained } = await serin(peopleFileOf(tenant.field.environment), ...args);
      expect(isObeyed(said + complained), `${command}: ${JSON.stringify(said + complained)}`).toBe(false);
    }
    const { readFileSync } = await import('node:fs');
    const lines = readFileSync(tenant.field.controller.logFile, 'utf8').split('\n');
    expect(lines.filter((line) => isObeyed(line))).toEqual([]);
  },
};
const said =
  (body: string, status = 500) =>
  async (tenant: Tenant) => {
    tenant.field.own.answers(`/${tenant.name}`, json(body, status));
    await tenant.hooked();
    await tenant.ends();
  };
/** No word of the tenant calls people, or hides an address, in the operator's chat. */
const unmentioned = (...words: string[]) => ({
  async holds(tenant: Tenant) {
    const posts = tenant.field.operator.received('/slack').filter(({ body }) => body.includes(tenant.name));
    expect(posts.length).toBeGreaterThan(0);
    for (const word of words) expect(posts.map(({ body }) => body).join('\n')).not.toContain(word);
  },
});

export const outputs: AttackClass = {
  name: 'outputs',
  title: 'words that obey someone else: terminals, logs, chats, metrics',
  attacks: numbered('OUT', [
    attack('CWE-150', 'a webhook whose name is an escape sequence', plain, (tenant) =>
      tenant.hooked({ name: `h${ESC}`, url: 'http://127.0.0.66:1/' }),
    ),
    attack('CWE-150', 'a webhook that answers an escape sequence', plain, said(ESC)),
    attack('CWE-1007', 'a webhook that answers text from right to left', plain, said(TURNED)),
    attack('CWE-117', 'a metric whose name is a line of log', plain, (tenant) =>
      tenant.release({ metrics: [{ name: 'x\n{"level":"fatal","msg":"forged"}', query: 'up', thresholdRange: { min: 1e9 } }] }),
    ),
    attack('CWE-150', 'a provider that does not exist, in colours', plain, (tenant) =>
      tenant.app({}, { metricsServer: `http://x/${ESC}` }),
    ),
    attack('CWE-150', 'a target whose name is an escape sequence', plain, (tenant) =>
      tenant.make(tenant.canary({}, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `a${ESC}` } })),
    ),
    attack('CWE-150', 'a host that is an escape sequence', plain, (tenant) =>
      tenant.app({ stepWeight: 50, maxWeight: 50 }, { provider: 'istio', service: { port: 80, hosts: [`x${ESC}`] } }),
    ),
    attack('CWE-150', 'an image that is an escape sequence', plain, async (tenant) => {
      await tenant.app();
      await tenant.isReady();
      await tenant.push(`2${ESC}`);
    }),
    attack('CWE-150', 'status that is written by hand, in colours', plain, async (tenant) => {
      await tenant.app({}, { suspend: true });
      await tenant.edit(
        tenant.canaryRef,
        {
          status: {
            phase: 'Progressing',
            lastAppliedSpec: ESC,
            conditions: [
              { type: 'Promoted', status: 'Unknown', reason: `A${ESC}`, message: ESC, lastTransitionTime: ESC, lastUpdateTime: TURNED },
            ],
          },
        },
        { subresource: 'status' },
      );
    }),
    attack('CWE-150', 'an Event that is written by hand, in colours', plain, async (tenant) => {
      await tenant.app({}, { suspend: true });
      const { uid } = (await tenant.field.client.get(tenant.canaryRef))?.metadata ?? {};
      await tenant.make({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: tenant.name, namespace: tenant.namespace },
        involvedObject: { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: tenant.name, namespace: tenant.namespace, uid },
        type: 'Warning',
        reason: 'Failed',
        message: ESC,
        lastTimestamp: '2026-11-22T05:00:00Z',
        firstTimestamp: '2026-11-22T05:00:00Z',
      } as never);
    }),
    attack(
      'issue 14',
      'a mention of all in the chat of the operator',
      unmentioned('<!channel>', '<!here>'),
      said('<!channel> <!here> @everyone'),
    ),
    attack(
      'issue 14',
      'a link under other words in the chat of the operator',
      unmentioned('<https://evil.test|'),
      said('<https://evil.test|click> [click](https://evil.test)'),
    ),
    attack(
      'CWE-74',
      'JSON that ends the message to the chat',
      {
        async holds(tenant) {
          for (const { body } of tenant.field.operator.received('/slack')) expect(() => JSON.parse(body)).not.toThrow();
        },
      },
      said('"},{"text":"forged"}'),
    ),
    attack(
      'CWE-74',
      'labels of metrics with line ends and quotes',
      {
        async holds({ field }) {
          const text = await (await fetch(`http://127.0.0.1:${field.controllerPort}/metrics`)).text();
          expect(text.split('\n').filter((line) => line.startsWith('forged_metric'))).toEqual([]);
        },
      },
      async (tenant) => {
        await tenant.release({
          metrics: [{ name: 'x"} 1\nforged_metric{a="', query: 'up', thresholdRange: { min: 0 } }],
          webhooks: [tenant.hook({ name: 'h"} 1\nforged_metric{a="' })],
        });
        await tenant.called();
      },
    ),
    attack(
      'CWE-117',
      'a webhook that answers a thousand lines',
      {
        async holds(tenant) {
          for (const event of tenant.says().events) expect(event.length).toBeLessThan(2000);
        },
      },
      said('line\n'.repeat(1000)),
    ),
    attack('CWE-20', 'a webhook that answers half a character', plain, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, (_, response) =>
        response.writeHead(500).end(Buffer.from([0xf0, 0x9f, 0xff, 0xfe, 0x00])),
      );
      await tenant.hooked();
      await tenant.ends();
    }),
  ]),
  uncovered: ['Grafana, kubectl and chat clients show text in ways of their own.'],
};
