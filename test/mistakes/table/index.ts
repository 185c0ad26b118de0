import type { Mistake } from '../mistake.ts';
import { arrivalMistakes } from './arrivals.ts';
import { checkMistakes } from './checks.ts';
import { podMistakes } from './pods.ts';

/** The slow ones first. */
export const mistakes: readonly Mistake[] = [...podMistakes, ...checkMistakes, ...arrivalMistakes];
