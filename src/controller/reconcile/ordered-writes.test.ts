import { describe, expect, it } from 'vitest';
import { allToPrimary } from '../../api/routes.ts';
import type { DesiredState } from '../../engine/desired-state.ts';
import type { Facts } from '../../engine/facts.ts';
import { type OrderedWrite, orderedWrites } from './ordered-writes.ts';
import { combined, HELD, PENDING } from './outcome.ts';

const found = { hasTarget: true, hasApex: true, isKept: false };
const desired: DesiredState = {
  frozen: false,
  prepared: true,
  apexOnPrimary: true,
  routes: allToPrimary,
  target: 'untouched',
  primary: 'up',
  atLeast: {},
  primaryScaler: 'kept',
};
const withReplicas = (primary: number, target: number) => ({ primary: { replicas: primary }, target: { replicas: target } }) as Facts;

/** `services` with their roles, `raise` and `scale` with their side. */
const shown = (write: OrderedWrite): string =>
  write.kind === 'services' ? `services ${write.roles}` : 'side' in write ? `${write.kind} ${write.side}` : write.kind;
const order = (...args: Parameters<typeof orderedWrites>) => orderedWrites(...args).map(shown);

describe('the writes of a pass, in their order', () => {
  it('I5: Services, workloads, capacity, the apex, the routes, and only then fewer pods', () => {
    expect(order({ ...desired, target: 'zero' }, withReplicas(2, 2), found)).toEqual([
      'companions',
      'services primary,canary',
      'prerequisites',
      'canary',
      'primary',
      'keepMark',
      'scalers',
      'raise primary',
      'raise target',
      'services apex',
      'followers',
      'routes',
      'pauseScaler',
      'stopTarget',
    ]);
  });

  it('I5: both sides are started before the routes', () => {
    const writes = order({ ...desired, target: 'up' }, withReplicas(0, 0), found);
    expect(writes.slice(writes.indexOf('scalers'))).toEqual([
      'scalers',
      'raise primary',
      'scale primary',
      'resumeScaler',
      'startTarget',
      'services apex',
      'followers',
      'routes',
    ]);
  });

  it('I5: at bootstrap the apex is made with the other Services, and no traffic moves', () => {
    const { routes: _, ...bootstrap } = { ...desired, apexOnPrimary: false };
    const writes = order(bootstrap, withReplicas(1, 1), found);
    expect(writes.slice(0, 2)).toEqual(['companions', 'services primary,canary,apex']);
    expect(writes).not.toContain('services apex');
    expect(writes).not.toContain('routes');
  });

  it('I5: with a deleted target only the routes and the primary are written', () => {
    const facts = { primary: { replicas: 2 } } as Facts;
    expect(order(desired, facts, { ...found, hasTarget: false })).toEqual([
      'companions',
      'services primary,canary',
      'prerequisites',
      'scalers',
      'raise primary',
      'services apex',
      'followers',
      'routes',
    ]);
  });

  it('a scaler is paused and pods are removed only when everything before holds', () => {
    const writes = orderedWrites({ ...desired, target: 'zero' }, withReplicas(2, 2), found);
    expect(writes.filter((write) => 'whenConverged' in write).map(shown)).toEqual(['pauseScaler', 'stopTarget']);
  });
});

describe('the outcome of several writes', () => {
  const unconfirmed = { code: 'RouteUnconfirmed', detail: 'not yet' } as const;

  it('is unconfirmed only when nothing else is open', () => {
    const routes = { ...PENDING, unconfirmed };
    expect([combined(HELD, routes).unconfirmed, combined(PENDING, routes).unconfirmed]).toEqual([unconfirmed, undefined]);
  });

  it('is retried at the soonest of all times', () => {
    const [late, soon] = [
      { ...PENDING, retryInMs: 900 },
      { ...PENDING, retryInMs: 100 },
    ];
    expect([combined(late, soon).retryInMs, combined(soon, HELD).retryInMs, combined(HELD, HELD).retryInMs]).toEqual([100, 100, undefined]);
  });
});
