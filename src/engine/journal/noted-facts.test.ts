import { expect, it } from 'vitest';
import { aCanary, World } from '../../../test/fakes/world.ts';
import type { Facts } from '../facts.ts';
import { Concealment } from './concealment.ts';
import { NotedFacts } from './noted-facts.ts';

/** Facts as the controller makes them: other objects at each pass. */
const factsOf = (world: World, changes: Partial<Facts> = {}): Facts => structuredClone({ ...world.facts(), ...changes });
const blockedBy = (detail: string): Partial<Facts> => ({ blocker: { code: 'ApiRejected', detail } });

function noted() {
  let hidden = 0;
  const facts = new NotedFacts(
    new Concealment((text) => {
      hidden += 1;
      return `#${text.length}`;
    }),
  );
  return { facts, hiddenBy: (work: () => unknown) => [hidden, work(), hidden] as const };
}

it('conceals nothing again in facts that read as before', () => {
  const world = new World(
    aCanary({ stepWeight: 40, metrics: [{ name: 'm', query: 'q', thresholdRange: { max: 1 }, templateVariables: { key: 'word' } }] }),
  );
  const { facts, hiddenBy } = noted();
  const [, first, afterFirst] = hiddenBy(() => facts.patchTo(factsOf(world)));
  const [, second, afterSecond] = hiddenBy(() => facts.patchTo(factsOf(world, { nowMs: 7 })));
  expect([Object.keys(first as object).length > 5, afterFirst > 0, second, afterSecond]).toEqual([true, true, { nowMs: 7 }, afterFirst]);
});

it('reads no fact again that is the same object as before, nor the spec of the Canary', () => {
  const world = new World(aCanary({ stepWeight: 40 }));
  let reads = 0;
  const counted = <Value extends object>(value: Value): Value => {
    const toJSON = () => {
      reads += 1;
      return { ...value };
    };
    return Object.defineProperty({ ...value }, 'toJSON', { value: toJSON });
  };
  const before = factsOf(world, { blocker: { code: 'ApiRejected' } });
  const { facts } = noted();
  const [blocker, spec] = [counted(before.blocker as object) as Facts['blocker'], counted(before.canary.spec)];
  const withCounted = (nowMs: number): Facts => ({
    ...structuredClone(before),
    ...{ nowMs, ...(blocker && { blocker }), canary: { ...before.canary, spec, metadata: { ...before.canary.metadata } } },
  });
  facts.patchTo(withCounted(1));
  const readAtFirst = reads;
  expect([readAtFirst > 1, facts.patchTo(withCounted(2)), reads]).toEqual([true, { nowMs: 2 }, readAtFirst]);
});

it('conceals a fact again when the Canary names a new secret, although the fact reads as before', () => {
  const world = new World(aCanary({ stepWeight: 40 }));
  const { facts } = noted();
  const blocked = blockedBy('refused by hunter2-new-word');
  expect(facts.patchTo(factsOf(world, blocked))).toMatchObject({ blocker: { detail: 'refused by hunter2-new-word' } });
  world.canary = { ...world.canary, metadata: { ...world.canary.metadata, annotations: { note: 'hunter2-new-word' } } };
  expect(JSON.stringify(facts.patchTo(factsOf(world, blocked)))).not.toContain('hunter2-new-word');
  expect(JSON.stringify(facts.patchTo(factsOf(world, blockedBy('then hunter2-new-word'))))).not.toContain('hunter2');
});
