import { describe, expect, it } from 'vitest';
import { FakeTerminal } from '../../../test/fakes/fake-terminal.ts';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { eventually } from '../../../test/scenarios/eventually.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { refOf } from '../../api/kube-object.ts';
import { ReadingError } from '../../reading/reading-error.ts';
import { Output, type OutputFlags } from '../output/output.ts';
import { statusCommand } from './status-command.ts';

/** The start of each screen. */
const HOME = '\x1b[H';

/** A release of four steps, and the Canary at one of them. */
function aRelease() {
  const world = initialized(aCanary({ stepWeight: 25 }));
  const at = (): KubeObject => JSON.parse(JSON.stringify(world.canary));
  const rest = at();
  world.push('s1:b');
  const frames = [25, 50].map((weight) => {
    world.tickUntil(({ canary }) => canary.status?.canaryWeight === weight);
    return at();
  });
  return { rest, frames };
}

const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'podinfo', namespace: 'test', uid: 'd-1', generation: 1 },
  spec: { replicas: 2, selector: { matchLabels: { app: 'podinfo' } }, template: { spec: { containers: [] } } },
  status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 1, readyReplicas: 1 },
};

const aPod = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'test', labels: { app: 'podinfo' }, ownerReferences: [owner] },
  spec: { containers: [{ name: 'web', image: 'podinfo:2' }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [{ name: 'web', restartCount: 3 }] },
});
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'podinfo-7d', uid: '1' };

const aReplicaSet = (replicas: number): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    ...{ name: 'podinfo-7d', namespace: 'test', uid: '1', labels: { app: 'podinfo' } },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo', uid: 'd-1' }],
  },
  spec: { replicas, template: { spec: { containers: [{ name: 'web', image: 'podinfo:2' }] } } },
  status: {
    conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'pods "podinfo-7d-x1" is forbidden: exceeded quota: team-a' }],
  },
});

const anEvent = (message: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'podinfo.1', namespace: 'test' },
  involvedObject: { kind: 'Canary', name: 'podinfo' },
  type: 'Normal',
  reason: 'WeightAdvanced',
  message,
});

/** `serin status podinfo --watch` on a cluster that a test changes; over when the Canary is gone. */
function watching(flags: OutputFlags, isTTY: boolean) {
  const { rest, frames } = aRelease();
  const cluster = new HeldCluster([rest, deployment]);
  const terminal = new FakeTerminal();
  const asked: string[] = [];
  const live = {
    keyboard: terminal,
    ask: async (verb: string) => {
      asked.push(verb);
      return { outcome: 'refused' as const, message: `${verb} was refused: no release is in progress` };
    },
  };
  const written: string[] = [];
  const streams = { out: { isTTY, columns: 100, rows: 24, write: (text: string) => written.push(text) }, err: { write: () => undefined } };
  const output = new Output(flags, { TERM: 'xterm' }, streams);
  const ended = statusCommand({ cluster, namespace: 'test', output }, 'podinfo', { watch: true }, live).then(
    (exit): unknown => exit,
    (error: unknown) => (error instanceof ReadingError ? error.why : error),
  );
  const said = () => written.join('');
  return {
    cluster,
    frames,
    said,
    terminal,
    asked,
    ended,
    shows: (what: string) => eventually(`status shows ${what}`, () => said().includes(what)),
    async end(): Promise<unknown> {
      cluster.remove(refOf(rest));
      return ended;
    },
  };
}

/** Plays the release up to 50%, waiting for each frame to be seen. */
async function play(flags: OutputFlags, isTTY: boolean, marks = ['25%', '50%']): Promise<string> {
  const screen = watching(flags, isTTY);
  await eventually('the watches are open', () => screen.cluster.watches > 0);
  for (const [index, frame] of screen.frames.entries()) {
    screen.cluster.put(frame);
    await screen.shows(marks[index] ?? '');
  }
  expect(await screen.end()).toBe('notFound');
  expect(screen.cluster.watches).toBe(0);
  return screen.said();
}

describe('serin status --watch', () => {
  it('draws the screen again with every change, over the previous screen, and restores the terminal', async () => {
    const said = await play({}, true);
    const weights = said.split(HOME).flatMap((frame) => /canary \[.*\] (\d+%)/.exec(frame)?.[1] ?? []);
    expect([...new Set(weights)]).toEqual(['0%', '25%', '50%']);
    expect(said).not.toContain('\x1b[2J');
    expect(said.indexOf('\x1b[?1049h')).toBe(0);
    expect(said.endsWith('\x1b[?7h\x1b[?25h\x1b[?1049l')).toBe(true);
  });
  it('a change of a workload, a ReplicaSet, a pod or an event also redraws the screen', async () => {
    const screen = watching({}, true);
    await screen.shows('1 of 2 ready');
    await eventually('the watches are open', () => screen.cluster.watches === 6);
    screen.cluster.put({ ...deployment, status: { ...raw(deployment).status, availableReplicas: 2, readyReplicas: 2 } });
    await screen.shows('2 of 2 ready');
    screen.cluster.put(aReplicaSet(3));
    await screen.shows('ReplicaSet/podinfo-7d  0 of 3 ready  podinfo:2');
    expect(screen.said()).toContain('exceeded quota: team-a');
    screen.cluster.put(aPod('podinfo-7d-x2'));
    await screen.shows('podinfo-7d-x2  ready  3 restarts');
    screen.cluster.put(anEvent('Weight is now 25%'));
    await screen.shows('WeightAdvanced: Weight is now 25%');
    expect(await screen.end()).toBe('notFound');
  });
  it('q ends it with success, and closes the watches', async () => {
    const screen = watching({}, true);
    await screen.shows('q quit');
    screen.terminal.press('q');
    expect(await screen.ended).toBe('done');
    expect(screen.cluster.watches).toBe(0);
    expect(screen.terminal.isRaw).toBe(false);
    expect(screen.terminal.listeners).toBe(0);
  });
  it.each([
    { title: 'Ctrl-C', act: (terminal: FakeTerminal) => terminal.press('\x03'), signal: 'SIGINT' },
    { title: 'SIGTERM', act: (terminal: FakeTerminal) => terminal.send('SIGTERM'), signal: 'SIGTERM' },
  ])('$title restores the terminal, then ends the process by the signal', async ({ act, signal }) => {
    const screen = watching({}, true);
    await screen.shows('q quit');
    act(screen.terminal);
    await screen.ended;
    expect(screen.terminal.raised).toEqual([signal]);
    expect(screen.said().endsWith('\x1b[?1049l')).toBe(true);
  });
  it('a promotion is requested only after confirmation, and its refusal is shown', async () => {
    const screen = watching({}, true);
    await screen.shows('p promote');
    screen.terminal.press('p');
    await screen.shows('promote test/podinfo? y: yes');
    screen.terminal.press('n');
    screen.terminal.press('r');
    await screen.shows('rollback test/podinfo? y: yes');
    expect(screen.asked).toEqual([]);
    screen.terminal.press('y');
    await screen.shows('rollback was refused: no release is in progress');
    expect(screen.asked).toEqual(['rollback']);
    screen.terminal.press(' ');
    await screen.shows('pause was refused');
    screen.terminal.press('w');
    await screen.shows('any key: back');
    expect(screen.said()).toContain('cause    Unseen');
    screen.terminal.press('x');
    screen.terminal.press('q');
    expect(await screen.ended).toBe('done');
  });
  it('shows that the connection is lost, and goes on when it is back', async () => {
    const screen = watching({}, true);
    await screen.shows('q quit');
    screen.cluster.setLost('connect ECONNREFUSED');
    await screen.shows('connection lost, trying again: connect ECONNREFUSED');
    screen.cluster.setLost(undefined);
    const [, frame] = screen.frames;
    if (frame) screen.cluster.put(frame);
    await screen.shows('50%');
    expect(screen.said().split(HOME).at(-1)).not.toContain('connection lost');
    await screen.end();
  });
  it.each([
    { title: '--plain', flags: { plain: true }, isTTY: true },
    { title: 'without a terminal', flags: {}, isTTY: false },
  ])('$title nothing is drawn over: each change follows below the last, once', async ({ flags, isTTY }) => {
    const said = await play(flags, isTTY);
    expect(said).not.toContain('\x1b');
    expect([...said.matchAll(/^Canary test\/podinfo: /gm)]).toHaveLength(3);
    expect([...said.matchAll(/^ {2}canary +\[.*\] (\d+%)/gm)].map(([, percent]) => percent)).toEqual(['0%', '25%', '50%']);
  });
  it('-o json writes one document after another, terminal or not', async () => {
    const said = await play({ output: 'json' }, true, ['"canary": 25', '"canary": 50']);
    expect(said).not.toContain('\x1b');
    const documents: { kind: string; traffic: { canary: number } }[] = said.split(/^(?=\{)/m).map((text) => JSON.parse(text));
    expect(documents.map(({ kind, traffic }) => [kind, traffic.canary])).toEqual([0, 25, 50].map((weight) => ['CanaryReport', weight]));
  });
});
