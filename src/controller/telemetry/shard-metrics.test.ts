import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { SharedParts } from '../controller-options.ts';
import { createControllerMetrics } from './controller-metrics.ts';
import { ShardMetrics } from './shard-metrics.ts';

const NOTHING = { watches: () => [], calls: () => [], deliveries: () => 0 };

function given() {
  const metrics = createControllerMetrics('1.2.3');
  const shared = {
    kinds: { watches: () => [{ kind: 'v1/Service', ageMs: 2_000, restarts: 3 }] },
    calls: { figures: () => [{ kind: 'query', running: 5, waiting: 0, refused: 0 }] },
  } as unknown as SharedParts;
  const shards = new ShardMetrics(metrics, shared);
  const lines = async (name: string) =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return { metrics, shards, lines };
}

const canaryOf = (name: string) => {
  const canary = aCanary();
  return {
    ...canary,
    metadata: { ...canary.metadata, name, uid: name },
    spec: { ...canary.spec, targetRef: { ...canary.spec.targetRef, name } },
    status: { phase: 'Progressing', failedChecks: 0, canaryWeight: 0, iterations: 0 } as const,
  };
};

it('a shard that is lost takes its own series along, and leaves those of the other shards', async () => {
  const { shards, lines } = given();
  const [first, second] = [shards.of(0), shards.of(2)];
  for (const [metrics, name] of [
    [first, 'a'],
    [second, 'b'],
  ] as const) {
    metrics.leads({ ...NOTHING, deliveries: () => 2 });
    metrics.seen(canaryOf(name), 0);
    metrics.counted('test', 1);
  }
  expect(await lines('serin_shard_held')).toEqual(['serin_shard_held{shard="0"} 1', 'serin_shard_held{shard="2"} 1']);
  expect(await lines('flagger_canary_total')).toEqual(['flagger_canary_total{namespace="test"} 2']);
  expect(await lines('serin_delivery_queue_depth')).toEqual(['serin_delivery_queue_depth 4']);

  first.stopped();
  first.seen(canaryOf('late'), 0);
  first.counted('test', 1);
  expect(await lines('serin_leader')).toEqual(['serin_leader 1']);
  expect(await lines('serin_shard_held')).toEqual(['serin_shard_held{shard="2"} 1']);
  expect(await lines('flagger_canary_total')).toEqual(['flagger_canary_total{namespace="test"} 1']);
  expect(await lines('flagger_canary_status')).toEqual(['flagger_canary_status{name="b",namespace="test"} 0']);
  expect(await lines('serin_delivery_queue_depth')).toEqual(['serin_delivery_queue_depth 2']);

  second.stopped();
  expect(await lines('serin_leader')).toEqual(['serin_leader 0']);
  expect([...(await lines('serin_shard_held')), ...(await lines('flagger_canary_status'))]).toEqual([]);
});

it('watches and calls of all shards of a process are shown once', async () => {
  const { shards, lines } = given();
  for (const shard of [0, 1]) shards.of(shard).leads(NOTHING);
  expect(await lines('serin_watch_restarts')).toEqual(['serin_watch_restarts{kind="v1/Service"} 3']);
  expect(await lines('serin_outgoing_calls')).toEqual(['serin_outgoing_calls{kind="query"} 5']);
});

it('a replica shows each shard that it does not hold as 0, also as a standby', async () => {
  const { metrics, shards, lines } = given();
  metrics.divided(3);
  const none = ['serin_shard_held{shard="0"} 0', 'serin_shard_held{shard="1"} 0', 'serin_shard_held{shard="2"} 0'];
  expect(await lines('serin_shard_held')).toEqual(none);
  const second = shards.of(1);
  second.leads(NOTHING);
  expect(await lines('serin_shard_held')).toEqual(none.with(1, 'serin_shard_held{shard="1"} 1'));
  second.stopped();
  expect(await lines('serin_shard_held')).toEqual(none);
});
