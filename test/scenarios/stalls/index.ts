import { checkStalls } from './checks.ts';
import { hookStalls } from './hooks.ts';
import { manualStalls } from './manual-changes.ts';
import { podStalls } from './pods.ts';
import { refusalStalls } from './refusals.ts';
import { specStalls } from './specs.ts';
import type { Stall } from './stall.ts';

/** The slow ones first. */
export const stalls: readonly Stall[] = [...podStalls, ...checkStalls, ...hookStalls, ...manualStalls, ...refusalStalls, ...specStalls];
