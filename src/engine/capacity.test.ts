import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allToPrimary, type Routes, weight } from '../api/routes.ts';
import { canaryShare, capacityNeeded, hasCapacity } from './capacity.ts';
import type { SideFacts } from './facts.ts';

const pods = (ready: number, wanted = ready): SideFacts => ({
  readiness: { state: ready >= wanted ? 'ready' : 'waiting', ready, wanted },
  serving: ready > 0,
  replicas: wanted,
});
const at = (canary: number): Routes => ({ kind: 'weighted', canary: weight(canary) });
const match = [{ headers: { user: { exact: 'a' } } }];
const limits = { min: 1, max: 50 };

describe('capacityNeeded', () => {
  it.each<{
    name: string;
    primary?: SideFacts;
    target?: SideFacts;
    routes: Routes | undefined;
    share: number;
    atStart?: number;
    needed: number;
  }>([
    { name: 'promotion at half and half', primary: pods(5), target: pods(5), routes: at(50), share: 100, needed: 10 },
    { name: 'a primary that its scaler has shrunk', primary: pods(2), target: pods(8), routes: at(80), share: 100, needed: 10 },
    { name: 'an idle primary does not count', primary: pods(2), target: pods(8), routes: at(100), share: 100, needed: 8 },
    { name: 'nor does an idle canary', primary: pods(8), target: pods(3), routes: allToPrimary, share: 100, needed: 8 },
    {
      name: 'nor one that gets copies',
      primary: pods(8),
      target: pods(3),
      routes: { kind: 'mirrored', share: weight(50) },
      share: 50,
      needed: 4,
    },
    { name: 'a first step of 10%', primary: pods(8), target: pods(1), routes: allToPrimary, share: 10, needed: 1 },
    { name: 'a step to 29% of 100 pods', primary: pods(100), target: pods(1), routes: allToPrimary, share: 29, needed: 29 },
    { name: 'a match: both carry', primary: pods(6), target: pods(2), routes: { kind: 'matched', match }, share: 100, needed: 8 },
    {
      name: 'all of a matched segment: both carry',
      primary: pods(6),
      target: pods(2),
      routes: { kind: 'weighted', canary: weight(100), match },
      share: 100,
      needed: 8,
    },
    { name: 'bootstrap: the target alone', primary: pods(1), target: pods(7), routes: undefined, share: 100, needed: 7 },
    { name: 'a canary that has just died counts as it was', primary: pods(4), target: pods(0, 4), routes: at(50), share: 100, needed: 8 },
    { name: 'a canary that is gone', primary: pods(4), routes: at(50), share: 100, needed: 4 },
    {
      name: 'a primary that is not shrunk yet is enough',
      primary: pods(10),
      target: pods(5),
      routes: at(50),
      share: 100,
      atStart: 10,
      needed: 10,
    },
    { name: 'one that is half shrunk', primary: pods(7), target: pods(5), routes: at(50), share: 100, atStart: 10, needed: 10 },
    { name: 'a load that has doubled', primary: pods(10), target: pods(10), routes: at(50), share: 100, atStart: 10, needed: 20 },
    { name: 'a load that has halved', primary: pods(3), target: pods(3), routes: at(50), share: 100, atStart: 10, needed: 6 },
    {
      name: 'a canary at its minimum is not a sample',
      primary: pods(9),
      target: pods(2),
      routes: at(10),
      share: 100,
      atStart: 10,
      needed: 11,
    },
    {
      name: 'a canary that is short is not a sample either',
      primary: pods(10),
      target: pods(1),
      routes: at(50),
      share: 100,
      atStart: 10,
      needed: 10,
    },
    {
      name: 'an unknown share',
      primary: pods(10),
      target: pods(10),
      routes: { kind: 'matched', match },
      share: 100,
      atStart: 10,
      needed: 10,
    },
    {
      name: 'an unknown share, shrunk',
      primary: pods(7),
      target: pods(3),
      routes: { kind: 'matched', match },
      share: 100,
      atStart: 9,
      needed: 9,
    },
    { name: 'all on the canary', primary: pods(1), target: pods(6), routes: at(100), share: 100, atStart: 10, needed: 6 },
    { name: 'neither side serves', primary: pods(0, 0), target: pods(0, 0), routes: at(0), share: 100, needed: 1 },
  ])('$name: $needed', ({ primary, target, routes, share, atStart, needed }) => {
    expect(capacityNeeded({ primary, target, routes, atStart }, share, limits)).toBe(needed);
  });

  it.each([
    { limits: { min: 1, max: 6 }, needed: 6 },
    { limits: { min: 12, max: 20 }, needed: 12 },
    { limits: { min: 0, max: 20 }, needed: 10 },
  ])('the needed capacity stays within $limits', ({ limits: bounds, needed }) => {
    expect(capacityNeeded({ primary: pods(5), target: pods(5), routes: at(50) }, 100, bounds)).toBe(needed);
  });

  it('never needs fewer pods when the weight or the load grows', () => {
    const count = fc.integer({ min: 0, max: 60 });
    const percent = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(count, count, percent, percent, percent, (primary, target, canary, share, more) => {
        const needed = (extra: number, sharePercent: number) =>
          capacityNeeded({ primary: pods(primary + extra), target: pods(target), routes: at(canary) }, sharePercent, limits);
        expect(needed(1, share)).toBeGreaterThanOrEqual(needed(0, share));
        expect(needed(0, Math.max(share, more))).toBeGreaterThanOrEqual(needed(0, share));
      }),
    );
  });
});

it.each<{ routes: Routes; share: number }>([
  { routes: at(30), share: 30 },
  { routes: { kind: 'matched', match }, share: 100 },
  { routes: { kind: 'mirrored', share: weight(20) }, share: 20 },
])('the canary can get $share % under $routes.kind routes', ({ routes, share }) => expect(canaryShare(routes)).toBe(share));

it.each([
  { side: pods(4), pods: 4, is: true },
  { side: pods(3, 4), pods: 4, is: false },
  { side: pods(9, 10), pods: 10, is: true },
  { side: pods(8, 10), pods: 10, is: false },
  { side: { ...pods(4), serving: false }, pods: 4, is: false },
  { side: undefined, pods: 1, is: false },
])('$side.readiness.ready of $pods pods is capacity: $is', ({ side, pods: needed, is }) => expect(hasCapacity(side, needed)).toBe(is));
