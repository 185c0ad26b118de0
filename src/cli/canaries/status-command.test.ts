import { describe, expect, it } from 'vitest';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { eventually } from '../../../test/scenarios/eventually.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { refOf } from '../../api/kube-object.ts';
import { CommandError } from '../output/exit-codes.ts';
import { Output, type OutputFlags } from '../output/output.ts';
import { statusCommand } from './status-command.ts';

const OVER = '\x1b[H\x1b[2J';

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
  metadata: { name: 'podinfo', namespace: 'test', generation: 1 },
  spec: { replicas: 2, selector: { matchLabels: { app: 'podinfo' } }, template: { spec: { containers: [] } } },
  status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 1, readyReplicas: 1 },
};

/** `serin status podinfo --watch` on a cluster that a test changes; over when the Canary is gone. */
function watching(flags: OutputFlags, isTTY: boolean) {
  const { rest, frames } = aRelease();
  const cluster = new HeldCluster([rest, deployment]);
  const written: string[] = [];
  const streams = { out: { isTTY, columns: 100, write: (text: string) => written.push(text) }, err: { write: () => undefined } };
  const output = new Output(flags, { TERM: 'xterm' }, streams);
  const ended = statusCommand({ cluster, namespace: 'test', output }, 'podinfo', { watch: true }).then(
    () => 'done',
    (error: unknown) => (error instanceof CommandError ? error.exit : error),
  );
  const said = () => written.join('');
  return {
    cluster,
    frames,
    said,
    shows: (what: string) => eventually(`status shows ${what}`, () => said().includes(what)),
    async end(): Promise<unknown> {
      cluster.remove(refOf(rest));
      return ended;
    },
  };
}

/** Plays the release up to 50 %, waiting for each frame to be seen. */
async function play(flags: OutputFlags, isTTY: boolean, marks = ['25 %', '50 %']): Promise<string> {
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
  it('draws the screen again with every change, over the one before', async () => {
    const frames = (await play({}, true)).split(OVER);
    expect(frames.slice(1).map((frame) => /canary +\[.*\] (\d+ %)/.exec(frame)?.[1])).toEqual(['0 %', '25 %', '50 %']);
    expect(frames[0]).toBe('');
  });
  it('a change of a workload is one, too', async () => {
    const screen = watching({}, true);
    await screen.shows('1 of 2 ready');
    await eventually('the watches are open', () => screen.cluster.watches === 3);
    screen.cluster.put({ ...deployment, status: { ...raw(deployment).status, availableReplicas: 2, readyReplicas: 2 } });
    await screen.shows('2 of 2 ready');
    await screen.end();
    expect(screen.said().split(OVER)).toHaveLength(3);
  });
  it.each([
    { title: '--plain', flags: { plain: true }, isTTY: true },
    { title: 'without a terminal', flags: {}, isTTY: false },
  ])('$title nothing is drawn over: each change stands below the last, once', async ({ flags, isTTY }) => {
    const said = await play(flags, isTTY);
    expect(said).not.toContain('\x1b');
    expect([...said.matchAll(/^Canary test\/podinfo: /gm)]).toHaveLength(3);
    expect([...said.matchAll(/^ {2}canary +\[.*\] (\d+ %)/gm)].map(([, percent]) => percent)).toEqual(['0 %', '25 %', '50 %']);
  });
  it('-o json writes one document after another, terminal or not', async () => {
    const said = await play({ output: 'json' }, true, ['"canary": 25', '"canary": 50']);
    expect(said).not.toContain('\x1b');
    const documents: { kind: string; traffic: { canary: number } }[] = said.split(/^(?=\{)/m).map((text) => JSON.parse(text));
    expect(documents.map(({ kind, traffic }) => [kind, traffic.canary])).toEqual([0, 25, 50].map((weight) => ['CanaryReport', weight]));
  });
});
