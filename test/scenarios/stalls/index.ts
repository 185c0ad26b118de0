import { checkStalls } from './checks.ts';
import { handStalls } from './hands.ts';
import { hookStalls } from './hooks.ts';
import { obstacleStalls } from './obstacles.ts';
import { podStalls } from './pods.ts';
import { specStalls } from './specs.ts';
import type { Stall } from './stall.ts';

/** The slow ones first. */
export const stalls: readonly Stall[] = [...podStalls, ...checkStalls, ...hookStalls, ...handStalls, ...obstacleStalls, ...specStalls];
