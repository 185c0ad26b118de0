import { expect, it } from 'vitest';
import { initialized } from '../../test/fakes/world.ts';
import { seenAtZero } from './pin.ts';

const target = { uid: 't', generation: 1, revision: 's1:a', replicas: 0 };

it('E90: an idle target is remembered as seen at zero, and one that is gone or has pods is not', () => {
  const { scaledDownUid: _, ...release } = initialized().release;
  expect(seenAtZero(target, release)).toEqual({ ...release, scaledDownUid: 't' });
  expect(seenAtZero({ ...target, replicas: 1 }, release)).toBe(release);
  expect(seenAtZero(undefined, release)).toBe(release);
  const analysed = { ...release, step: 'analysing' };
  expect(seenAtZero(target, analysed)).toBe(analysed);
});
