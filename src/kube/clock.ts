export * from '../api/clock.ts';
