export * from '../base/clock.ts';
