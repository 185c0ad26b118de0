import { describe, expect, it } from 'vitest';
import { readPayload } from './payload.ts';
import { targetPolicy } from './target-policy.ts';
import { planTask } from './task-plan.ts';

function plan(metadata: Record<string, unknown>, namespace = 'test') {
  const payload = readPayload(Buffer.from(JSON.stringify({ name: 'podinfo', namespace, checksum: 'c1', metadata })));
  if ('problem' in payload) throw new Error(payload.problem);
  return planTask(payload, {
    native: { policy: targetPolicy({ allowLocal: false }), timeoutMs: 60_000 },
    processes: { processes: 10, memoryBytes: 1e6, outputBytes: 1e6 },
    mayRunCommands: (asked) => asked === 'trusted',
    env: {},
  });
}

describe('planTask', () => {
  it.each([
    { row: '06-LT30', type: undefined, cmd: 'hey http://a', runs: 'hey', isBlocking: false },
    { row: '06-LT30', type: 'cmd', cmd: 'curl -s http://a', runs: 'curl', isBlocking: false },
    { row: '06-LT31', type: 'bash', cmd: 'curl -s http://a | grep x', runs: 'curl', isBlocking: true },
  ])('$row: type $type runs $runs natively, blocking: $isBlocking', ({ type, cmd, runs, isBlocking }) => {
    expect(plan({ ...(type && { type }), cmd })).toMatchObject({ request: { program: { name: runs } }, isBlocking });
  });

  it.each([
    { row: '06-LT30', type: 'cmd', cmd: 'sleep 5; true', runs: 'sh', isBlocking: false },
    { row: '06-LT30', type: 'cmd', cmd: 'hey -D body.json http://a', runs: 'sh', isBlocking: false },
    { row: '06-LT31', type: 'bash', cmd: 'ghz x', runs: 'bash', isBlocking: true },
    { row: '06-LT32', type: 'helm', cmd: 'test podinfo', runs: 'helm', isBlocking: true },
    { row: '06-LT32', type: 'helmv3', cmd: 'test podinfo', runs: 'helm', isBlocking: true },
    { row: '06-LT33', type: 'kubectl', cmd: "get pods -l 'a in (b, c)'", runs: 'kubectl', isBlocking: true },
  ])('$row: type $type runs $runs where commands are allowed, and native commands also run natively there', (wanted) => {
    const { type, cmd, runs, isBlocking } = wanted;
    expect(plan({ type, cmd }, 'trusted')).toMatchObject({ request: { program: { name: runs } }, isBlocking });
    expect(plan({ type, cmd })).toEqual({
      status: 422,
      refused: expect.stringMatching(/start it with --allow-commands test$/),
    });
    expect(plan({ type: 'cmd', cmd: 'hey http://a' }, 'trusted')).toMatchObject({ request: { program: { name: 'hey' } } });
  });

  it('names the switch, and does not repeat an invalid namespace', () => {
    expect(plan({ cmd: 'sleep 5' })).toEqual({
      status: 422,
      refused:
        'sleep cannot run here. To let Canaries of this namespace run commands in the load tester, start it with --allow-commands test',
    });
    expect(plan({ cmd: 'sleep 5' }, 'x; rm -rf')).toMatchObject({ refused: expect.stringMatching(/--allow-commands NAMESPACE$/) });
  });

  it.each([
    { row: '06-LT22', metadata: {}, status: 400, refused: 'the webhook has no metadata: name a command in metadata.cmd' },
    { row: '06-LT30', metadata: { type: 'cmd' }, status: 400, refused: 'metadata.cmd is missing: name the command' },
    { row: '06-LT31', metadata: { type: 'bash', cmd: ' ' }, status: 400, refused: 'metadata.cmd is missing: name the command' },
    {
      row: '06-LT34',
      metadata: { type: 'ngrinder', pollInterval: '0' },
      status: 422,
      refused: expect.stringContaining('type ngrinder are not run here'),
    },
    {
      row: '06-LT35',
      metadata: { type: 'concord', pollInterval: '-1' },
      status: 422,
      refused: expect.stringContaining('type concord are not run here'),
    },
    { row: '06-LT36', metadata: { type: 'k6' }, status: 400, refused: 'metadata.type "k6" is none of cmd, bash, helm, helmv3, kubectl' },
    { row: '06-LT36', metadata: { type: 'toString', cmd: 'x' }, status: 400, refused: expect.stringContaining('"toString" is none of') },
    { row: '06-LT36', metadata: { type: 'a\u001b[31m' }, status: 400, refused: expect.stringContaining('"a?[31m" is none of') },
    { row: '06-LT30', metadata: { cmd: 'curl a\0b' }, status: 422, refused: 'metadata.cmd holds a zero byte' },
  ])('$row: $metadata is refused with $status', ({ metadata, status, refused }) => {
    expect(plan(metadata)).toEqual({ status, refused });
  });

  it('06-LT37: helm and kubectl get the quoted words, and no shell', () => {
    expect(plan({ type: 'kubectl', cmd: `run x --overrides='{"a": 1` }, 'trusted')).toEqual({
      status: 422,
      refused: 'metadata.cmd has a quote that is not closed',
    });
  });

  it.each([
    { text: 'true', is: true },
    { text: 'T', is: true },
    { text: 'yes', is: false },
    { text: '', is: false },
  ])('06-LT38: returnCmdOutput and logCmdOutput $text mean $is', ({ text, is }) => {
    expect(plan({ type: 'bash', cmd: 'curl http://a', returnCmdOutput: text })).toMatchObject({
      returnsOutput: is,
      request: { logsOutput: true },
    });
    expect(plan({ cmd: 'curl http://a', logCmdOutput: text, returnCmdOutput: text })).toMatchObject({
      returnsOutput: false,
      request: { logsOutput: is },
    });
  });

  it('06-LT44: is one task for one Canary, type and command, and never that of another', () => {
    const key = (...args: Parameters<typeof plan>) => {
      const planned = plan(...args);
      return 'request' in planned ? planned.request.key : '';
    };
    expect(key({ cmd: 'hey http://a' })).toBe(key({ cmd: 'hey http://a', logCmdOutput: 'true' }));
    expect(key({ cmd: 'hey http://a' })).not.toBe(key({ cmd: 'hey http://b' }));
    expect(key({ cmd: 'curl http://a' })).not.toBe(key({ cmd: 'curl http://a' }, 'other'));
  });
});
