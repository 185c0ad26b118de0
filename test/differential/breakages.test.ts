import { expect, it } from 'vitest';
import { BREAKAGES, brokenText } from './run/breakages.ts';

it.each(BREAKAGES)('$name: the text that is broken is still there', (breakage) => {
  expect(brokenText(breakage)).toContain(breakage.to);
});
