import type { TextLimits } from './fitted.ts';

/** Bounds of receivers that publish none. */
export const plainLimits: TextLimits = { text: 8192, fields: 100, name: 256, value: 1024, total: 65_536, totalIn: 'bytes' };

/** For receivers that read no markup. */
export const asItIs = (text: string): string => text;
