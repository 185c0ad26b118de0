import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTarget } from '../../fakes/test-target.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { payload, startTested, type TestedLoadTester } from './start.ts';

interface HookMetadata {
  type?: string;
  cmd: string;
}

/** Each form in which public manifests write commands. */
const FORMS: HookMetadata[] = [
  { cmd: 'hey -z 1m -q 10 -c 2 http://podinfo-canary.test:9898/' },
  { cmd: 'hey -z 2m -q 10 -c 2 http://podinfo-canary.test' },
  { cmd: 'hey -z 10m -q 10 -c 2 http://podinfo.test/status/500' },
  { cmd: 'hey -z 2m -q 5 -c 2 -host app.example.com http://gateway-proxy.gloo-system' },
  { cmd: 'hey -z 1m -q 10 -c 2 -h2 -host app.example.com http://apisix-gateway.apisix/api/info\n' },
  { cmd: "hey -z 1m -q 10 -c 2 -H 'Cookie: type=insider' http://podinfo.test:9898/" },
  { cmd: "hey -z 2m -q 10 -c 2 -host www.example.com -H 'X-Canary: insider' http://gateway.istio-ingress" },
  { cmd: "hey -z 2m -q 10 -c 2 -H 'x-user: insider' -host app.example.com http://ingress.ingress-nginx" },
  { type: 'cmd', cmd: 'hey -z 1m -q 5 -c 2 http://podinfo.test/delay/1' },
  { type: 'cmd', cmd: 'hey -n 20 -c 2 -m POST -d \'{"a": 1}\' -T application/json http://podinfo.test/' },
  { type: 'cmd', cmd: 'curl -s http://podinfo.test/' },
  { type: 'bash', cmd: "curl -sd 'test' http://podinfo-canary:9898/token | grep token" },
  { type: 'bash', cmd: "curl -sd 'test' -H 'Host: app.example.com' http://envoy.projectcontour/token | grep token" },
  { type: 'bash', cmd: "curl -sH 'x-user: insider' -H 'Host: app.example.com' http://ingress.ingress-nginx" },
];
/** Rejected commands, with the first words of the reason. */
const REFUSED: (HookMetadata & { reason: string })[] = [
  {
    type: 'bash',
    cmd: 'grpc_health_probe -connect-timeout=1s -addr=podinfo-canary:9999',
    reason: 'grpc_health_probe cannot run here',
  },
  { type: 'cmd', cmd: 'ghz -z 1m -q 10 -c 2 --insecure podinfo.test:9898', reason: 'ghz cannot run here' },
  { type: 'cmd', cmd: 'wrk -t1 -c2 -d1m http://podinfo.test', reason: 'wrk cannot run here' },
  { type: 'bash', cmd: '/opt/bats/bin/bats /tests/test.bats', reason: '/opt/bats/bin/bats cannot run here' },
  { type: 'bash', cmd: 'curl -s http://podinfo.test/ | jq -e .version', reason: 'what curl prints goes into grep here' },
  { type: 'helmv3', cmd: 'test podinfo -n test', reason: 'helm is a program of its own' },
  { type: 'helm', cmd: 'test podinfo --cleanup', reason: 'helm is a program of its own' },
  { type: 'kubectl', cmd: 'get pods -n test', reason: 'kubectl is a program of its own' },
];

let target: Awaited<ReturnType<typeof startTarget>>;
let tester: TestedLoadTester;
beforeAll(async () => {
  target = await startTarget();
  tester = await startTested({ tasks: 200, tasksOfCanary: 200 });
});
afterAll(async () => {
  await tester.stop();
  await target.stop();
});

/** The command at the target's address, and over after a moment. */
const here = (cmd: string) => cmd.replace(/https?:\/\/[^/\s'"]+/g, target.url).replace(/-z \S+/, '-z 200ms');

/** Runs a command to its end, whether it is refused, fails or succeeds. */
async function runHere(metadata: HookMetadata) {
  const answer = await tester.post('/', payload({ ...metadata, cmd: here(metadata.cmd) }));
  const location = answer.headers.get('location');
  if (location === null) return { ...answer, state: 'refused' };
  const report = await eventually(
    `${metadata.cmd} ends`,
    async () => JSON.parse((await tester.get(location)).text) as { state: string },
    ({ state }) => state !== 'running',
  );
  return { ...answer, state: report.state };
}

describe('commands of webhooks', () => {
  it.each(FORMS)('$type $cmd runs without a process', async (metadata) => {
    const { status, state } = await runHere(metadata);
    expect({ status, state }).toEqual({ status: metadata.type === 'bash' ? 200 : 202, state: 'succeeded' });
  });

  it.each(REFUSED)('$type $cmd is refused, and the answer names the switch', async ({ reason, ...metadata }) => {
    const { status, text } = await tester.post('/', payload({ ...metadata }));
    expect(status).toBe(422);
    expect(text.startsWith(reason), text).toBe(true);
    expect(text).toContain('start it with --allow-commands test');
    expect(text.length, 'an event shows all of it').toBeLessThan(400);
    expect(tester.logs()).toContain(JSON.stringify({ canary: 'test/podinfo', reason: text }).slice(1, -1));
  });
});
