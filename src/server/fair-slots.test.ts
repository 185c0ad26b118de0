import { expect, it } from 'vitest';
import { FairSlots } from './fair-slots.ts';

/** Slots that were taken one after the other: `a1` is held by the peer `a`. */
function taken(most: number, ...holders: readonly string[]) {
  const slots = new FairSlots<string>(most);
  return { slots, lost: holders.map((holder) => slots.take(holder, holder[0] ?? '')) };
}

it('I15: the peer that holds most loses its oldest, and no other one loses any', () => {
  const { slots, lost } = taken(3, 'b1', 'a1', 'a2', 'a3', 'a4', 'c1');
  expect(lost).toEqual([undefined, undefined, undefined, 'a1', 'a2', 'a3']);
  expect(slots.size).toBe(3);
});

it('I15: of peers that hold equally many slots, the peer that takes another one loses its oldest', () => {
  expect(taken(4, 'b1', 'b2', 'a1', 'a2', 'a3').lost.at(-1)).toBe('a1');
});

it('I15: a new peer gets in where each of the others holds one', () => {
  expect(taken(2, 'a1', 'b1', 'c1').lost.at(-1)).toBe('a1');
});

it('holders that go first lose their slot before older holders of the same peer', () => {
  const slots = new FairSlots<string>(2, (holder) => holder === 'a2');
  expect(['a1', 'a2', 'a3'].map((holder) => slots.take(holder, 'a'))).toEqual([undefined, undefined, 'a2']);
});

it('a slot that is freed makes room, once', () => {
  const { slots } = taken(2, 'a1', 'a2');
  slots.free('a1');
  slots.free('a1');
  expect([slots.take('a3', 'a'), slots.take('a4', 'a')]).toEqual([undefined, 'a2']);
});

it('peers take turns: a peer with many waiting holders delays another peer by one turn', () => {
  const { slots } = taken(9, 'a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  expect(Array.from({ length: 7 }, () => slots.shift())).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', undefined]);
});
