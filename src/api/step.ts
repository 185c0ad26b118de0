import type { Release } from './canary-status.ts';

type Stepped = Pick<Release, 'step'>;

/** The release is over: nothing is under way, and the canary is at zero. */
export const isResting = (release: Partial<Stepped> | undefined): boolean => release?.step === 'resting';

/** The canary has its share, and is checked. */
export const isAnalysing = (release: Partial<Stepped> | undefined): boolean => release?.step === 'analysing';
