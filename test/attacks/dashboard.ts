import { deflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { requestAnnotation } from '../../src/api/names.ts';
import { openDashboard } from '../../src/cli/dashboard/open-dashboard.ts';
import { OWN_HEADER } from '../../src/dashboard/own-headers.ts';
import { renderJournal } from '../../src/workloads/journal-record.ts';
import { HeldSockets } from '../fakes/held-sockets.ts';
import { sessionBy } from '../fakes/one-time-session.ts';
import { raw } from '../fakes/raw.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type Attack, type AttackClass, attack, numbered } from './run/attack.ts';
import { json } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const SCRIPT = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';
const EVENT = 'x\n\nevent: gone\ndata: {"namespace":"shop","name":"web"}\n\n';
const TOKEN = 'tenants-own-token-5f2c';
/** Characters of one answer. */
const MOST = 1_000_000;
const READ_WITHIN_MS = 20_000;

interface Page {
  status: number;
  type: string;
  text: string;
}

/** One answer; of a stream as much as it takes to hold this text. */
async function read(url: string, headers: Record<string, string>, until: string): Promise<Page> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(READ_WITHIN_MS) });
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream')) return { status: response.status, type, text: await response.text() };
  let text = '';
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString();
    if (text.includes(until) && text.endsWith('\n\n')) break;
  }
  return { status: response.status, type, text };
}

/** The operator's browser, with a session. */
interface Browser {
  origin: string;
  session: Awaited<ReturnType<typeof sessionBy>>;
}

async function inBrowser<T>(tenant: Tenant, look: (browser: Browser) => Promise<T>): Promise<T> {
  const { cluster } = tenant.field.environment;
  const { address, stop } = await openDashboard({ cluster, namespace: tenant.namespace }, { port: 0, meshProvider: 'kubernetes' });
  try {
    return await look({ origin: new URL(address).origin, session: await sessionBy(address) });
  } finally {
    await stop();
  }
}

/** Paths that the browser reads for this Canary. */
const pathsOf = ({ namespace, name }: Tenant): string[] => {
  const own = `/api/canaries/${namespace}/${name}`;
  return ['/api/stream', `${own}/stream`, `${own}/history`, `${own}/difference`, `${own}/releases/1`];
};

/** Everything that the operator's browser gets of this Canary. */
const pagesOf = (tenant: Tenant): Promise<Map<string, Page>> =>
  inBrowser(tenant, async ({ origin, session }) => {
    const pages = new Map<string, Page>();
    for (const path of pathsOf(tenant))
      pages.set(path, await read(origin + path, session, path === '/api/stream' ? `"name":"${tenant.name}"` : 'data: '));
    return pages;
  });

/** A Canary whose release waits for the operator; then this happens on the operator's machine. */
const beside = (attack: (browser: Browser, tenant: Tenant) => Promise<void>): Pick<Attack, 'do' | 'expects'> => ({
  do: (tenant) => tenant.app({}, { suspend: true }),
  expects: {
    async holds(tenant) {
      await inBrowser(tenant, (browser) => attack(browser, tenant));
      const { annotations = {} } = (await tenant.field.client.get(tenant.canaryRef))?.metadata ?? {};
      expect(annotations).not.toHaveProperty([requestAnnotation]);
    },
  },
});

/** The operator's page while another program of that machine holds so many connections, each of which says this. */
const whileHeld = (count: number, said: (browser: Browser, tenant: Tenant) => string) =>
  beside(async (browser, tenant) => {
    const sockets = new HeldSockets(Number(new URL(browser.origin).port));
    try {
      await sockets.open(count, '127.0.0.1', said(browser, tenant));
      const { text } = await read(`${browser.origin}/api/stream`, browser.session, `"name":"${tenant.name}"`);
      expect(text).toContain(`"name":"${tenant.name}"`);
    } finally {
      sockets.close();
    }
  });

/** Nothing of it is a page, a forged event, a fault of the server, or too long. `more`: of this attack. */
const shown = (more: (texts: string) => void = () => undefined): Attack['expects'] => ({
  async holds(tenant) {
    const pages = await pagesOf(tenant);
    for (const [path, { status, type, text }] of pages) {
      expect([200, 404, 409, 502], `${path}: ${text.slice(0, 200)}`).toContain(status);
      expect(type, path).toMatch(/^(application\/json|text\/event-stream; charset=utf-8|text\/plain; charset=utf-8)$/);
      expect(text.length, path).toBeLessThan(MOST);
      if (!type.startsWith('text/event-stream')) continue;
      for (const line of text.split('\n'))
        expect(line, path).toMatch(/^$|^: (open|beat)$|^event: (list|row|release|problem)$|^data: \{.*\}$/);
    }
    more([...pages.values()].map(({ text }) => text).join('\n'));
  },
});

/** A suspended Canary with this status, written by its tenant. */
const withStatus = (status: object) => async (tenant: Tenant) => {
  await tenant.app({}, { suspend: true });
  await tenant.edit(tenant.canaryRef, { status: { phase: 'Progressing', ...status } }, { subresource: 'status' });
};

/** A route object of this Canary that its tenant has edited, and that Serin does not restore. */
const withRoute = (edit: (spec: ReturnType<typeof raw>) => void) => async (tenant: Tenant) => {
  await tenant.app({ stepWeight: 50, maxWeight: 50 }, { provider: 'istio' });
  await tenant.isReady();
  await tenant.edit(tenant.canaryRef, { spec: { suspend: true } });
  await eventually('the suspension is seen', () => tenant.words().includes('spec.suspend'));
  const ref = tenant.ref('VirtualService');
  const { spec } = raw(await tenant.field.client.get(ref));
  edit(spec);
  await tenant.edit(ref, { spec });
};

/** A journal of this Canary that its tenant has written. */
const withJournal = (content: (tenant: Tenant, uid: string) => object) => async (tenant: Tenant) => {
  await tenant.app();
  await tenant.isReady();
  const uid = (await tenant.field.client.get(tenant.canaryRef))?.metadata.uid ?? '';
  const canary = { namespace: tenant.namespace, name: tenant.name, uid };
  const text = deflateSync(JSON.stringify(content(tenant, uid))).toString('base64');
  const anchor = await tenant.field.client.get(tenant.ref('ControllerRevision', `${tenant.name}-serin-anchor`));
  await tenant.make(
    renderJournal({ canary, run: 1, beganMs: 1 }, text, { name: anchor?.metadata.name ?? '', uid: anchor?.metadata.uid ?? '' }),
  );
};

export const dashboard: AttackClass = {
  name: 'dashboard',
  title: "the browser of the operator: what a tenant writes, on the dashboard's pages",
  attacks: numbered('DSH', [
    attack('CWE-79', 'a webhook whose name is a script', shown(), (tenant) => tenant.hooked({ name: SCRIPT, url: 'http://127.0.0.66:1/' })),
    attack('CWE-93', 'a webhook that answers an event of the stream', shown(), async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, json(EVENT, 500));
      await tenant.hooked();
      await tenant.ends();
    }),
    attack('CWE-93', 'a metric whose name is an event of the stream', shown(), (tenant) =>
      tenant.release({ metrics: [{ name: EVENT, query: 'up', thresholdRange: { min: 1e9 } }] }),
    ),
    attack('CWE-79', 'an image that is a script', shown(), async (tenant) => {
      await tenant.app();
      await tenant.isReady();
      await tenant.push(`2${SCRIPT}`);
    }),
    attack('CWE-79', 'a target whose name is a script', shown(), (tenant) =>
      tenant.make(tenant.canary({}, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: SCRIPT } })),
    ),
    attack(
      'CWE-79',
      'conditions that are scripts and events of the stream, written by hand',
      shown(),
      withStatus({
        conditions: [
          { type: 'Promoted', status: 'Unknown', reason: SCRIPT, message: EVENT, lastTransitionTime: EVENT, lastUpdateTime: SCRIPT },
        ],
      }),
    ),
    attack(
      'CWE-770',
      '200 Events that are written by hand, with scripts',
      shown((texts) => expect(texts.split('onerror').length).toBeLessThan(100)),
      async (tenant) => {
        await tenant.app({}, { suspend: true });
        const { uid } = (await tenant.field.client.get(tenant.canaryRef))?.metadata ?? {};
        const about = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: tenant.name, namespace: tenant.namespace, uid };
        const events = Array.from({ length: 200 }, (_, nth) => ({
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: `${tenant.name}-${nth}`, namespace: tenant.namespace },
          ...{ involvedObject: about, type: 'Warning', reason: 'Failed', message: SCRIPT, lastTimestamp: '2026-05-04T10:00:00Z' },
        }));
        await tenant.make(...events);
      },
    ),
    attack(
      'CWE-770',
      '2,000 rules in a route object',
      shown((texts) => expect(texts).toMatch(/"more":[1-9]/)),
      withRoute((spec) => {
        const [rule] = spec.http;
        spec.http = Array.from({ length: 2_000 }, () => rule);
      }),
    ),
    attack(
      'CWE-674',
      'a route object that is nested 100 levels deep',
      shown(),
      withRoute((spec) => {
        let deep: object = {};
        for (let level = 0; level < 100; level += 1) deep = { headers: deep };
        spec.http[0].headers = deep;
      }),
    ),
    attack(
      'CWE-200',
      'a credential in a header of a route object, which its page must not show to others',
      shown((texts) => {
        expect(texts).toContain('authorization');
        expect(texts).not.toContain(TOKEN);
      }),
      withRoute((spec) => {
        spec.http.push({ ...spec.http[0], headers: { request: { set: { authorization: `Bearer ${TOKEN}` } } } });
      }),
    ),
    attack(
      'CWE-79',
      'a forged journal whose texts are scripts',
      shown((texts) => expect(texts).toContain('"outcome":"Failed"')),
      withJournal(({ namespace, name }, uid) => ({
        ...{ version: 1, engine: SCRIPT.slice(0, 90), writer: SCRIPT, canary: { namespace, name, uid }, run: 1, number: 1 },
        ...{ revision: EVENT, beganMs: 1, endedMs: 2, ended: 'Failed', segments: [] },
      })),
    ),
    attack(
      'CWE-409',
      'a journal that unpacks to 20 MB',
      shown((texts) => expect(texts).toContain('cannot be unpacked')),
      withJournal(() => ({ text: 'a'.repeat(20_000_000) })),
    ),
    attack(
      'CWE-79',
      'a journal of another version, written by a script',
      shown((texts) => expect(texts).toContain('has format 99')),
      withJournal(() => ({ version: 99, engine: SCRIPT })),
    ),
    {
      what: "the cookie of the operator's session, which the browser sends to a forwarded port of a pod, too: to read",
      from: 'issue 44',
      ...beside(async ({ origin, session: { cookie } }, tenant) => {
        for (const path of pathsOf(tenant)) {
          const { status, text } = await read(origin + path, { cookie }, 'data: ');
          expect([path, status]).toEqual([path, 401]);
          expect(text).not.toContain(tenant.name);
        }
      }),
    },
    {
      what: 'the same cookie, to promote',
      from: 'issue 44',
      ...beside(async ({ origin, session: { cookie } }, { namespace, name }) => {
        const headers = { cookie, origin, [OWN_HEADER]: '1', 'content-type': 'application/json' };
        const verbs = `${origin}/api/canaries/${namespace}/${name}/verbs`;
        expect((await fetch(verbs, { method: 'POST', headers, body: '{"verb":"promote"}' })).status).toBe(401);
      }),
    },
    { what: '512 connections to the dashboard that say nothing', from: 'issue 44', ...whileHeld(512, () => '') },
    {
      what: '64 requests to the dashboard whose body does not end',
      from: 'issue 44',
      ...whileHeld(64, ({ origin }, { namespace, name }) => {
        const headers = {
          host: new URL(origin).host,
          origin,
          [OWN_HEADER]: '1',
          'content-type': 'application/json',
          'content-length': '100',
        };
        const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`);
        return `POST /api/canaries/${namespace}/${name}/verbs HTTP/1.1\r\n${lines.join('')}\r\n{`;
      }),
    },
  ]),
  uncovered: [
    'a forged status that lasts: the controller writes its own over it at once (src/cli/dashboard/dashboard-command.integration.test.ts, src/reading/waits.test.ts)',

    'the pages themselves in a browser: test/long/dashboard.test.ts; other sites in the same browser: src/dashboard/dashboard-attacks.integration.test.ts',
    'the listeners of the dashboard in the controller: src/dashboard/in-cluster/listener-attacks.integration.test.ts and controller-attacks.integration.test.ts',
  ],
};
