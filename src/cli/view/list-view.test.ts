import { describe, expect, it } from 'vitest';
import { FakeTerminal } from '../../../test/fakes/fake-terminal.ts';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { eventually } from '../../../test/scenarios/eventually.ts';
import { waysOn, writeKeptPrimary } from '../../api/kept-primary.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { keptAnnotation } from '../../api/names.ts';
import { summaryOf } from '../../reading/canary-reading.ts';
import type { CanarySummary } from '../../reading/documents/canary-documents.ts';
import { columnsOf } from '../output/columns.ts';
import { CommandError } from '../output/exit-codes.ts';
import { Output, type OutputFlags } from '../output/output.ts';
import { listView } from './list-view.ts';
import { liveList } from './live-list.ts';

const world = initialized(aCanary({ stepWeight: 20 }));
const stored = (name: string): KubeObject => {
  const { metadata, ...rest } = JSON.parse(JSON.stringify(world.canary));
  return { ...rest, metadata: { ...metadata, name } };
};
const idle = stored('podinfo');
world.pushUntil('s1:b', ({ canary }) => canary.status?.canaryWeight === 20);
const released = stored('podinfo');
const named = (object: KubeObject, name: string): KubeObject => ({ ...object, metadata: { ...object.metadata, name } });
const targetName = 'Deployment/shop';
const kept = {
  ...{ primary: 'Deployment/shop-primary', target: targetName, promoted: 's1:a', unpromoted: 's1:b', since: '2026-01-01T00:00:00Z' },
  next: waysOn({ namespace: 'test', name: 'shop' }, targetName),
};
const anchor: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name: 'shop-serin-anchor',
    namespace: 'test',
    labels: { 'serin.dev/record': 'anchor' },
    annotations: { [keptAnnotation]: writeKeptPrimary(kept) },
  },
};
const terminal = { color: false, unicode: true, live: true, columns: 80 };

/** `serin list --watch` on a cluster that a test changes. */
function watching(flags: OutputFlags, isTTY: boolean) {
  const cluster = new HeldCluster([named(idle, 'a'), named(idle, 'b')]);
  const keyboard = new FakeTerminal();
  const written: string[] = [];
  const streams = { out: { isTTY, columns: 80, rows: 24, write: (text: string) => written.push(text) }, err: { write: () => undefined } };
  const output = new Output(flags, { TERM: 'xterm', NO_COLOR: '1' }, streams);
  const ended = liveList({ cluster, namespace: 'test', output }, {}, keyboard);
  const said = () => written.join('');
  const shows = (what: string) => eventually(`list shows ${what}`, () => said().includes(what));
  return { cluster, keyboard, ended, said, shows, written };
}

describe('serin list --watch', () => {
  it('draws all Canaries again after each change, until q', async () => {
    const { cluster, keyboard, ended, shows, written } = watching({}, true);
    await shows('2 Canaries, 0 in progress, 0 failed');
    cluster.put(named(released, 'b'));
    await shows('2 Canaries, 1 in progress, 0 failed');
    cluster.remove(refOf(named(idle, 'a')));
    await shows('1 Canary, 1 in progress');
    expect(written.at(-1)).toMatch(/b +Progressing +\[##-{8}\] 20% +1 of 5 +0 of 3/);
    keyboard.press('q');
    expect(await ended).toBe('done');
    expect(cluster.watches).toBe(0);
  });
  it('j and k scroll a list that is longer than the screen', async () => {
    const { cluster, keyboard, ended, shows, written } = watching({}, true);
    for (let index = 10; index < 50; index += 1) cluster.put(named(idle, `shop-${index}`));
    await shows('j down  k up  q quit');
    await shows('shop-2');
    keyboard.press('j');
    expect(written.at(-1)).not.toContain('shop-10');
    expect(written.at(-1)).toContain('above');
    keyboard.press('k');
    expect(written.at(-1)).toContain('shop-10');
    keyboard.press('q');
    expect(await ended).toBe('done');
  });
  it('--plain prints a line for each Canary that has changed', async () => {
    const { cluster, shows, said } = watching({ plain: true }, true);
    await shows('test/b: Initialized, canary traffic 0%, failed checks 0 of 3');
    cluster.put(named(released, 'b'));
    await shows('test/b: Progressing, canary traffic 20%');
    cluster.remove(refOf(named(released, 'b')));
    await shows('test/b: deleted');
    expect(said().match(/^test\/a: /gm)).toHaveLength(1);
    expect(said()).not.toContain('\x1b');
  });
  it.each([
    { title: 'on the screen', flags: {}, isTTY: true, comes: /shop +deleted, primary kept/ },
    {
      title: 'as a line',
      flags: { plain: true },
      isTTY: true,
      comes: /test\/shop: deleted, primary kept since 2026-\S+; push .*serin accept shop/,
    },
    { title: 'in the document', flags: { output: 'json' }, isTTY: false, comes: /"kept": \[\s+\{\s+"namespace": "test",\s+"name": "shop"/ },
  ] as const)('I19: $title a primary that is kept comes with its deletion, and goes with its end', async ({ flags, isTTY, comes }) => {
    const { cluster, said, shows, written, keyboard } = watching(flags, isTTY);
    await shows('nitialized');
    cluster.put(anchor);
    await eventually('list shows what is kept', () => comes.test(said()));
    cluster.put({ ...anchor, metadata: { ...anchor.metadata, annotations: {} } });
    await eventually('list shows that it has ended', () => !/kept/.test(written.at(-1) ?? ''));
    keyboard.press('q');
  });
  it('I19: a user who may not see anchors sees the Canaries all the same', async () => {
    const cluster = new HeldCluster([named(idle, 'a')]);
    const { watch } = cluster;
    cluster.watch = (kind, handler, selection) => {
      if (kind.kind !== 'ControllerRevision') return watch.call(cluster, kind, handler, selection);
      handler.onUnavailable?.('forbidden', 'controllerrevisions is forbidden');
      return { synced: Promise.resolve(), ageMs: () => 0, restarts: 0, stop: () => undefined };
    };
    const said: string[] = [];
    const streams = { out: { write: (text: string) => said.push(text) }, err: { write: () => undefined } };
    void liveList({ cluster, namespace: 'test', output: new Output({}, {}, streams as never) });
    await eventually('list shows a', () => said.join('').includes('test/a: Initialized'));
  });
  it('-o json prints the document again', async () => {
    const { cluster, shows, said } = watching({ output: 'json' }, true);
    await shows('"phase": "Initialized"');
    cluster.put(named(released, 'b'));
    await shows('"phase": "Progressing"');
    const documents = said().split(/^(?=\{)/m);
    expect(documents.map((text) => JSON.parse(text).kind)).toEqual(['CanaryList', 'CanaryList']);
  });
  it('shows a lost connection until it is back', async () => {
    const { cluster, keyboard, ended, shows, written } = watching({}, true);
    await shows('2 Canaries');
    cluster.setLost('connect ECONNREFUSED');
    await shows('connection lost, trying again: connect ECONNREFUSED');
    cluster.setLost(undefined);
    expect(written.at(-1)).not.toContain('connection lost');
    keyboard.press('q');
    await ended;
  });
  it('a forbidden list ends it with an error', async () => {
    const cluster = new HeldCluster();
    const { watch } = cluster;
    cluster.watch = (kind, handler, selection) => {
      queueMicrotask(() => handler.onUnavailable?.('forbidden', 'canaries is forbidden'));
      return watch.call(cluster, kind, handler, selection);
    };
    const streams = { out: { write: () => undefined }, err: { write: () => undefined } };
    const ended = liveList({ cluster, namespace: 'test', output: new Output({}, {}, streams) });
    await expect(ended).rejects.toThrow(new CommandError('unanswered', 'canaries is forbidden'));
  });
});

describe('the screen of all Canaries', () => {
  const many = Array.from({ length: 40 }, (_, index) => summaryOf(named(index === 30 ? released : idle, `shop-${index}`)));
  const choice = { ofAll: true, wide: false };
  const namesIn = (lines: readonly string[]) => lines.flatMap((line) => /\bshop-\d+/.exec(line)?.[0] ?? []);

  it('shows what needs attention first, and how many have no room', () => {
    const failed = { ...many[20], phase: 'Failed' } as CanarySummary;
    const suspended = { ...many[10], suspended: true } as CanarySummary;
    const items = many.map((item, index) => (index === 20 ? failed : index === 10 ? suspended : item));
    const lines = listView({ items, kept: [] }, choice, terminal, 10, 0);
    expect(lines).toHaveLength(10);
    expect(namesIn(lines)).toEqual(['shop-20', 'shop-30', 'shop-10', 'shop-0', 'shop-1', 'shop-2', 'shop-3']);
    expect(lines.at(-1)).toBe('… 33 more');
    expect(namesIn(listView({ items, kept: [] }, choice, terminal, 60, 0)).slice(0, 3)).toEqual(['shop-20', 'shop-30', 'shop-10']);
  });
  it('is scrolled by pages, with the numbers of lines above and below, and ends with the last Canary', () => {
    const page = (from: number) => listView({ items: many, kept: [] }, { ...choice, from }, terminal, 10, 0);
    expect(namesIn(page(6))).toEqual(['shop-5', 'shop-6', 'shop-7', 'shop-8', 'shop-9', 'shop-10', 'shop-11']);
    expect(page(6).at(-1)).toBe('… 6 above, 27 more');
    expect(namesIn(page(1_000)).at(-1)).toBe('shop-39');
    expect(page(1_000).at(-1)).toBe('… 33 above');
  });
  it('has phase, traffic and age in 80 columns beside the longest names', () => {
    const long = (item: CanarySummary): CanarySummary => ({
      ...item,
      namespace: `${'team-payments-'.repeat(4)}eu`,
      name: `${'checkout-'.repeat(6)}api`,
    });
    const lines = listView({ items: many.slice(29, 32).map(long), kept: [] }, choice, terminal, 24, 0);
    expect(lines.slice(1)).toMatchInlineSnapshot(`
      [
        "NAMESPACE     NAME          PHASE        CANARY TRAFFIC    STEP    FAILED  SINCE",
        "team-paymen…  checkout-ch…  Progressing  [██░░░░░░░░] 20%  1 of 5  0 of 3  0s",
        "team-paymen…  checkout-ch…  Initialized  [░░░░░░░░░░] 0%   -       0 of 3  0s",
        "team-paymen…  checkout-ch…  Initialized  [░░░░░░░░░░] 0%   -       0 of 3  0s",
      ]
    `);
    expect(Math.max(...lines.map((line) => columnsOf(line)))).toBeLessThanOrEqual(80);
  });
  it('keeps its order where none needs attention, and fits', () => {
    const long = many.toSpliced(30, 1, summaryOf(named(idle, 'shop-30'))).map((item) => ({ ...item, message: '発売を中止🚀'.repeat(60) }));
    const lines = listView({ items: long, kept: [] }, { ofAll: true, wide: true }, { ...terminal, color: true }, 60, 0);
    expect(lines[2]).toContain('shop-0');
    const colors = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
    expect(Math.max(...lines.map((line) => columnsOf(line.replaceAll(colors, ''))))).toBeLessThanOrEqual(80);
    expect(lines).toHaveLength(42);
  });
});
