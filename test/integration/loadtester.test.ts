import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../e2e/free-port.ts';
import { program } from '../fakes/program.ts';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { anEnvironment, startEmbeddedEnvironment } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import { Scenario } from '../scenarios/scenario.ts';

const KEY = 'pl4nted-signing-key';
const folder = mkdtempSync(join(tmpdir(), 'serin-loadtester-'));

describe('the load tester with releases on the embedded cluster', () => {
  const environment = anEnvironment(startEmbeddedEnvironment);
  let controller: ControllerProcess;
  let tester: GuardedProcess;
  let url: string;

  /** Each namespace has a signing key of its own. */
  const startTester = async (port: number): Promise<GuardedProcess> => {
    const flags = [
      `--port=${port}`,
      '--host=127.0.0.1',
      '--allow-local-addresses',
      `--credentials-dir=${folder}`,
      `--state-file=${folder}/gates.json`,
    ];
    const started = startGuarded('loadtester', [process.execPath, program(), 'loadtester', ...flags], join(folder, 'loadtester.log'));
    await eventually(
      'the load tester answers',
      async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200,
      Boolean,
      () => started.logTail(),
    );
    return started;
  };
  const begin = async (namespace: string): Promise<Scenario> => {
    const scenario = await Scenario.begin(environment(), controller, namespace);
    writeFileSync(join(folder, `${namespace}.signingKey`), `${KEY}-${namespace}\n`);
    writeFileSync(join(folder, `${namespace}.token`), `t0ken-of-${namespace}\n`);
    const signingKey = Buffer.from(`${KEY}-${namespace}\n`).toString('base64');
    await environment().cluster.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'loadtester', namespace },
      data: { signingKey },
    });
    return scenario;
  };
  /** Calls a gate by hand, as an approver does. */
  const byHand = async (path: string, { namespace }: Scenario): Promise<number> => {
    const headers = { authorization: `Bearer t0ken-of-${namespace}` };
    return (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify({ name: 'podinfo', namespace }) })).status;
  };
  const hook = (name: string, type: string, path: string, metadata?: object) => ({
    name,
    type,
    url: `${url}${path}`,
    timeout: '30s',
    secretRef: { name: 'loadtester' },
    ...(metadata && { metadata }),
  });
  const eventsOf = async ({ namespace }: Scenario): Promise<string[]> => {
    const { items } = await environment().cluster.list({ apiVersion: 'v1', kind: 'Event', namespace });
    return items.map(({ message }) => String(message));
  };

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    controller = startController(environment());
    tester = await startTester(port);
  });
  afterAll(async () => {
    await controller?.stop();
    await tester?.stop('TERM');
    rmSync(folder, { recursive: true });
  });

  it('gates hold, tests run without a process, load flows, and a rollback gate takes back, also after a restart', async () => {
    const scenario = await begin('gated');
    const { given, when, then } = scenario;
    const [mesh] = environment().mesh.urls;
    try {
      await given.aDeployment();
      await given.aCanary({
        stepWeight: 50,
        maxWeight: 50,
        webhooks: [
          hook('start', 'confirm-rollout', '/gate/check'),
          hook('smoke', 'pre-rollout', '/', { type: 'bash', cmd: `curl -si -H 'Host: podinfo.gated' ${mesh}/ | grep -i x-serin-version` }),
          hook('load', 'rollout', '/', { cmd: `hey -z 1h -q 20 -c 2 -host podinfo.gated ${mesh}/` }),
          hook('finish', 'confirm-promotion', '/gate/check'),
          hook('back', 'rollback', '/rollback/check'),
        ],
      });
      await when.imageChanges('2');
      await then.canaryIs('Waiting');
      await eventually(
        'the closed gate is reported',
        () => eventsOf(scenario),
        (events) => events.some((text) => text.includes('Forbidden')),
      );
      expect(await byHand('/gate/open', scenario)).toBe(202);
      await then.releaseEnds('Succeeded');
      await then.primaryRuns('2');
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toMatch(/^loadtester_tasks_total\{type="bash",result="succeeded"\} [1-9]/m);
      expect(metrics).toMatch(/^loadtester_tasks_running\{type="cmd"\} 1$/m);

      await tester.stop('TERM');
      expect(await tester.exited).toBe(0);
      expect(await byHandWhileAway(byHand('/rollback/open', scenario))).toBe('away');
      tester = await startTester(Number(new URL(url).port));
      expect(await byHand('/gate/check', scenario), 'the gate is open as before').toBe(200);
      expect(await byHand('/rollback/open', scenario)).toBe(202);
      await when.imageChanges('3');
      await then.releaseEnds('Failed');
      await then.primaryRuns('2');
      await then.everyoneGets('2');
      const log = readFileSync(join(folder, 'loadtester.log'), 'utf8');
      expect(log).not.toContain(KEY);
      expect(log).not.toContain('t0ken-of');
    } finally {
      await scenario.end();
    }
  });

  it('a command that needs a shell is refused, and the event of its Canary names the flag; a load that fails is also reported', async () => {
    const scenario = await begin('refused');
    const { given, when, then } = scenario;
    try {
      await given.aDeployment();
      await given.aCanary({
        stepWeight: 50,
        maxWeight: 50,
        threshold: 2,
        webhooks: [hook('tests', 'pre-rollout', '/', { type: 'bash', cmd: 'make test > /tmp/report' })],
      });
      await when.imageChanges('2');
      await then.releaseEnds('Failed');
      await then.primaryRuns('1');
      const events = await eventsOf(scenario);
      expect(events.join('\n')).toContain('the command has `>`, which only a shell reads');
      expect(events.join('\n')).toContain('start it with --allow-commands refused');

      await environment().cluster.patch(
        { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'podinfo', namespace: 'refused' },
        { spec: { analysis: { stepWeight: 10, webhooks: [hook('load', 'rollout', '/', { cmd: 'hey -n 1 -c 1 http://127.0.0.1:1/' })] } } },
      );
      await when.imageChanges('3');
      const failure = 'cmd task failed: no request was answered: ECONNREFUSED';
      await eventually(
        'the failed load is reported',
        () => eventsOf(scenario),
        (events) => events.some((text) => text.includes(failure)),
      );
    } finally {
      await scenario.end();
    }
  });
});

/** No server listens while it is away. */
const byHandWhileAway = (asked: Promise<number>): Promise<number | 'away'> => asked.catch(() => 'away' as const);
