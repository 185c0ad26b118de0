import { describe, expect, it } from 'vitest';
import type { AnyStateNode } from 'xstate';
import { decides, itDecides } from '../../test/fakes/deciding.ts';
import { chart } from './chart.ts';
import { decisions } from './decision.ts';
import { states as all } from './states/index.ts';

function statesOf(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(statesOf)];
}
const states = statesOf(chart.root);

describe('decide() and the chart', () => {
  it('each state without states inside has something that decides there', () => {
    const leaves = states.filter((one) => Object.keys(one.states).length === 0);
    expect(leaves.map(({ path }) => path.join('.')).toSorted()).toEqual(Object.keys(all).toSorted());
  });

  it('each decision but to wait has a move, and each move a decision', () => {
    const moves = states.flatMap((one) => Object.values(one.on).flat());
    const guards = new Set(moves.filter(({ guard }) => guard !== undefined).map(({ guard }) => String(guard)));
    expect([...guards, 'wait'].toSorted()).toEqual(Object.keys(decisions).toSorted());
  });

  it('no state has two moves for one decision and event', () => {
    const twice = states.flatMap((one) =>
      Object.entries(one.on).flatMap(([event, moves]) => {
        const guards = moves.map(({ guard }) => guard);
        return new Set(guards).size === guards.length ? [] : [`${one.path.join('.')} ${event}`];
      }),
    );
    expect(twice).toEqual([]);
  });

  itDecides([
    decides('Progressing.scalingUp', 'RESUME finds nothing to do', 'reenter', {
      event: 'RESUME',
      target: { readiness: { state: 'waiting', ready: 0, wanted: 2 }, serving: false },
      release: { routes: { kind: 'weighted', canary: 0 as never } },
    }),
    decides('Progressing.scalingUp', 'a message was delivered', 'wait', { event: 'DELIVERED', target: { revision: 's1:a' } }),
  ]);
});
