import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { knownServices } from './known-services.ts';

it('a Service is known some time after the first route that names it, and until the last one is gone', () => {
  const clock = handClock();
  const services = knownServices(clock, () => 300);
  services.name('HTTPProxy prod/a', ['prod/shop']);
  expect(services.knows('prod/shop')).toBe(false);
  clock.advance(300);
  expect(services.knows('prod/shop')).toBe(true);
  services.name('HTTPProxy prod/b', ['prod/shop']);
  services.name('HTTPProxy prod/a', ['prod/other']);
  expect([services.knows('prod/shop'), services.knows('prod/other')]).toEqual([true, false]);
  services.name('HTTPProxy prod/b', []);
  expect(services.knows('prod/shop')).toBe(false);
});
