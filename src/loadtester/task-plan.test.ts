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
    { type: undefined, cmd: 'hey http://a', runs: 'hey', isBlocking: false },
    { type: 'cmd', cmd: 'curl -s http://a', runs: 'curl', isBlocking: false },
    { type: 'bash', cmd: 'curl -s http://a | grep x', runs: 'curl', isBlocking: true },
  ])('type $type runs $runs natively, blocking: $isBlocking', ({ type, cmd, runs, isBlocking }) => {
    expect(plan({ ...(type && { type }), cmd })).toMatchObject({ request: { program: { name: runs } }, isBlocking });
  });

  it.each([
    { type: 'cmd', cmd: 'sleep 5; true', runs: 'sh', isBlocking: false },
    { type: 'cmd', cmd: 'hey -D body.json http://a', runs: 'sh', isBlocking: false },
    { type: 'bash', cmd: 'ghz x', runs: 'bash', isBlocking: true },
    { type: 'helm', cmd: 'test podinfo', runs: 'helm', isBlocking: true },
    { type: 'helmv3', cmd: 'test podinfo', runs: 'helm', isBlocking: true },
    { type: 'kubectl', cmd: "get pods -l 'a in (b, c)'", runs: 'kubectl', isBlocking: true },
  ])('type $type runs $runs where commands are allowed, and native commands also run natively there', (wanted) => {
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
    { metadata: {}, status: 400, refused: 'the webhook has no metadata: name a command in metadata.cmd' },
    { metadata: { type: 'cmd' }, status: 400, refused: 'metadata.cmd is missing: name the command' },
    { metadata: { type: 'bash', cmd: ' ' }, status: 400, refused: 'metadata.cmd is missing: name the command' },
    {
      metadata: { type: 'ngrinder', pollInterval: '0' },
      status: 422,
      refused: expect.stringContaining('type ngrinder are not run here'),
    },
    {
      metadata: { type: 'concord', pollInterval: '-1' },
      status: 422,
      refused: expect.stringContaining('type concord are not run here'),
    },
    { metadata: { type: 'k6' }, status: 400, refused: 'metadata.type "k6" is none of cmd, bash, helm, helmv3, kubectl' },
    { metadata: { type: 'toString', cmd: 'x' }, status: 400, refused: expect.stringContaining('"toString" is none of') },
    { metadata: { type: 'a\u001b[31m' }, status: 400, refused: expect.stringContaining('"a?[31m" is none of') },
    { metadata: { cmd: 'curl a\0b' }, status: 422, refused: 'metadata.cmd holds a zero byte' },
  ])('$metadata is refused with $status', ({ metadata, status, refused }) => {
    expect(plan(metadata)).toEqual({ status, refused });
  });

  it('helm and kubectl get the quoted words, and no shell', () => {
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
  ])('returnCmdOutput and logCmdOutput $text mean $is', ({ text, is }) => {
    expect(plan({ type: 'bash', cmd: 'curl http://a', returnCmdOutput: text })).toMatchObject({
      returnsOutput: is,
      request: { logsOutput: true },
    });
    expect(plan({ cmd: 'curl http://a', logCmdOutput: text, returnCmdOutput: text })).toMatchObject({
      returnsOutput: false,
      request: { logsOutput: is },
    });
  });

  it('is one task for one Canary, type and command, and never that of another', () => {
    const key = (...args: Parameters<typeof plan>) => {
      const planned = plan(...args);
      return 'request' in planned ? planned.request.key : '';
    };
    expect(key({ cmd: 'hey http://a' })).toBe(key({ cmd: 'hey http://a', logCmdOutput: 'true' }));
    expect(key({ cmd: 'hey http://a' })).not.toBe(key({ cmd: 'hey http://b' }));
    expect(key({ cmd: 'curl http://a' })).not.toBe(key({ cmd: 'curl http://a' }, 'other'));
  });
});
