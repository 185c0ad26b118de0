import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../e2e/free-port.ts';
import { program } from '../fakes/program.ts';
import { eventually } from '../scenarios/eventually.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
import type { Field, Tenant } from './run/tenant.ts';

const EVIL = 'evil-token';
const SHOP = 'shop-token';
/** In the environment of the load tester: a token for every namespace. */
const MASTER = 'master-of-the-load-tester';

interface Answered {
  status: number;
  text: string;
  location: string;
}
interface Tester {
  post(path: string, body: unknown, token?: string): Promise<Answered>;
  get(path: string, token?: string): Promise<Answered>;
  port: number;
}
const testers = new WeakMap<Field, Promise<Tester>>();

function testerOf({ field }: Tenant): Promise<Tester> {
  const found = testers.get(field) ?? started(field);
  testers.set(field, found);
  return found;
}

async function started(field: Field): Promise<Tester> {
  const folder = mkdtempSync(join(tmpdir(), 'serin-attacks-'));
  writeFileSync(join(folder, `${field.namespace}.token`), EVIL);
  writeFileSync(join(folder, 'shop.token'), SHOP);
  const port = await freePort();
  const flags = [
    `--port=${port}`,
    '--host=127.0.0.1',
    `--credentials-dir=${folder}`,
    `--allow-commands=${field.namespace}`,
    '--max-tasks=8',
    '--allow-local-addresses',
  ];
  const child = startGuarded('loadtester', [process.execPath, program(), 'loadtester', ...flags], join(folder, 'log'), {
    ...process.env,
    SERIN_LOADTESTER_TOKEN: MASTER,
  });
  field.stops.push(() => child.stop());
  const send = async (method: string, path: string, token: string, body?: unknown): Promise<Answered> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: text }),
    });
    return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') ?? '' };
  };
  await eventually('the load tester is ready', () =>
    send('GET', '/healthz', '').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  return {
    port,
    post: (path, body, token = EVIL) => send('POST', path, token, body),
    get: (path, token = EVIL) => send('GET', path, token),
  };
}

const call = (tenant: Tenant, metadata: object, over: object = {}) => ({
  name: tenant.name,
  namespace: tenant.namespace,
  phase: 'Progressing',
  checksum: tenant.name,
  metadata,
  ...over,
});
const shops = { name: 'web', namespace: 'shop' };
const sent =
  (send: (tester: Tester, tenant: Tenant) => Promise<Answered | Answered[]>, check: (answer: Answered) => void) =>
  async (tenant: Tenant): Promise<void> => {
    const tester = await testerOf(tenant);
    for (const answer of [await send(tester, tenant)].flat()) check(answer);
    expect((await tester.get('/healthz', '')).status).toBe(200);
  };
const refused = ({ status }: Answered) => expect(status).toBeGreaterThanOrEqual(400);
const backwards = (text: string) => [...text].reverse().join('');
/** The output goes backwards, so that nothing in it is recognised and hidden. */
const bash = (cmd: string) =>
  sent(
    (tester, tenant) => tester.post('/', call(tenant, { type: 'bash', cmd: `${cmd} | rev`, returnCmdOutput: 'true' })),
    ({ text }) => {
      for (const marker of [MASTER, SHOP, backwards(MASTER), backwards(SHOP)]) expect(text).not.toContain(marker);
    },
  );

export const loadTester: AttackClass = {
  name: 'loadtester',
  title: 'the load tester, with credentials for each namespace',
  attacks: numbered('LDT', [
    attack('issue 14', 'all slots taken by one namespace leave some for others', harmless, async (tenant) => {
      const tester = await testerOf(tenant);
      const canaries = Array.from({ length: 12 }, (_, n) =>
        call(
          { ...tenant, name: `${tenant.name}-${n}` } as Tenant,
          { cmd: `hey -z 20s -q 1 -c 1 ${tenant.field.own.url('/')}` },
          { namespace: tenant.namespace },
        ),
      );
      for (const one of canaries) await tester.post('/', one);
      const answer = await tester.post(
        '/',
        { ...shops, phase: 'Progressing', metadata: { cmd: `hey -n 1 -c 1 ${tenant.field.operator.url('/')}` } },
        SHOP,
      );
      expect(answer.status, answer.text).toBe(202);
    }),
    attack(
      'CVE-2022-29165',
      "a task in the neighbour's name",
      harmless,
      sent((tester, tenant) => tester.post('/', { ...call(tenant, { cmd: 'hey -n 1 http://x.test' }), ...shops }), refused),
    ),
    ...['/gate/open', '/gate/close', '/rollback/open', '/rollback/close'].map((path) =>
      attack(
        'CWE-284' as const,
        `${path} of the neighbour`,
        harmless,
        sent((tester) => tester.post(path, shops), refused),
      ),
    ),
    attack(
      'CWE-1007',
      'a namespace that looks like the own one',
      harmless,
      sent(
        (tester, tenant) =>
          Promise.all(
            [`${tenant.namespace} `, tenant.namespace.toUpperCase(), `${tenant.namespace}\n`, `${tenant.namespace}/../shop`].map(
              (namespace) => tester.post('/', { ...call(tenant, { type: 'bash', cmd: 'id' }), namespace }),
            ),
          ),
        refused,
      ),
    ),
    attack(
      'CWE-22',
      'a token of a path',
      harmless,
      sent((tester) => tester.post('/gate/open', { name: 'web', namespace: '../shop' }), refused),
    ),
    attack(
      'issue 14',
      'a command that reads the environment of the load tester',
      harmless,
      bash('cat /proc/$PPID/environ | tr "\\0" "\\n"'),
    ),
    {
      what: 'a command that reads the environment of process 1 and of all others, backwards, so that no filter knows it',
      from: 'issue 14',
      // Shells are left out: the shell that guards the load tester here has the environment of the test.
      do: bash(
        'for p in /proc/[0-9]*; do [ "$(cat $p/comm)" = sh ] || tr "\\0" "\\n" < $p/environ; done 2>/dev/null | grep SERIN_LOADTESTER | rev',
      ),
      expects: harmless,
    },
    attack('CWE-200', 'a command that reads its own environment', harmless, bash('env')),
    attack(
      'CWE-200',
      "the output of the neighbour's task",
      harmless,
      sent(async (tester, { field }) => {
        const { location } = await tester.post(
          '/',
          { ...shops, phase: 'Progressing', metadata: { type: 'bash', cmd: `curl -s ${field.operator.url('/')}` } },
          SHOP,
        );
        expect(location).not.toBe('');
        return tester.get(location);
      }, refused),
    ),
    attack(
      'CWE-1333',
      'a pattern of exponential cost',
      harmless,
      sent(
        (tester, tenant) =>
          tester.post(
            '/',
            call(tenant, { type: 'bash', cmd: `curl -s ${tenant.field.own.url('/')} | grep -E '(a+)+$'` }, { namespace: tenant.namespace }),
          ),
        () => undefined,
      ),
    ),
    attack(
      'issue 14',
      'sixteen thousand filters',
      harmless,
      sent(
        (tester, tenant) =>
          tester.post('/', call(tenant, { type: 'bash', cmd: `curl -s ${tenant.field.own.url('/')}${' | grep x'.repeat(6000)}` })),
        () => undefined,
      ),
    ),
    attack(
      'CWE-770',
      'a body of 10 MB',
      harmless,
      sent(
        async (tester, tenant) =>
          tester.post('/', call(tenant, { x: 'x'.repeat(10_000_000) })).catch(() => ({ status: 413, text: '', location: '' })),
        refused,
      ),
    ),
    attack(
      'CWE-674',
      'a body that is nested 30,000 deep',
      harmless,
      sent((tester) => tester.post('/', '['.repeat(30_000)), refused),
    ),
    ...['__proto__', 'constructor', 'toString'].map((type) =>
      attack(
        'CWE-1321' as const,
        `a task of the type ${type}`,
        harmless,
        sent((tester, tenant) => tester.post('/', call(tenant, { type, cmd: 'id' })), refused),
      ),
    ),
    attack(
      'CWE-918',
      'a metadata service by curl',
      harmless,
      sent(
        (tester) =>
          tester.post(
            '/',
            { ...shops, phase: 'Progressing', metadata: { type: 'bash', cmd: 'curl -m 2 -s http://169.254.169.254/' } },
            SHOP,
          ),
        refused,
      ),
    ),
    attack('CWE-400', 'three hundred callers that send one letter each', harmless, async (tenant) => {
      const tester = await testerOf(tenant);
      const sockets = Array.from({ length: 300 }, () => connect(tester.port, '127.0.0.1').on('error', () => undefined));
      for (const socket of sockets) socket.write('P');
      const { status } = await tester.post('/gate/check', shops, SHOP);
      for (const socket of sockets) socket.destroy();
      expect([200, 403]).toContain(status);
    }),
  ]),
  uncovered: [
    'files that the load tester can read are read by commands in the same container: give a namespace that may run commands a load tester of its own (docs/loadtester.md).',
  ],
};
