import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import { Reported } from './reported.ts';

function reporting() {
  const said: unknown[] = [];
  const deps = { view: { find: () => undefined }, clock: handClock(0), announceOn: (_: unknown, event: object) => said.push(event) };
  const reported = new Reported(deps as unknown as ConstructorParameters<typeof Reported>[0]);
  const refuse = (message?: string, known?: string) => {
    const conditions = known === undefined ? [] : [{ type: 'Accepted', status: 'False', reason: 'InvalidSpec', message: known }];
    const canary = { ...aCanary(), status: { conditions } } as unknown as Parameters<Reported['refusedSpec']>[0];
    const refused = message === undefined ? undefined : { reason: 'InvalidSpec', message };
    reported.refusedSpec(canary, { refused } as unknown as Parameters<Reported['refusedSpec']>[1]);
  };
  return { said, refuse };
}
const event = (message: string) => ({ reason: 'InvalidSpec', type: 'Warning', message });

it('I12: a refused edit is one event, before its condition is stored and after', () => {
  const { said, refuse } = reporting();
  refuse();
  for (const known of [undefined, undefined, 'spec.x: is wrong']) refuse('spec.x: is wrong', known);
  expect(said).toEqual([event('spec.x: is wrong')]);
});

it('I12: another refusal is another event, and a refusal that the condition already states causes none', () => {
  const { said, refuse } = reporting();
  refuse('spec.x: is wrong', 'spec.x: is wrong');
  expect(said).toEqual([]);
  refuse('spec.y: is wrong', 'spec.x: is wrong');
  expect(said).toEqual([event('spec.y: is wrong')]);
});
