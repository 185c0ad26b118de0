/** Each reader with every worst case; `npm test` takes one in twelve. */
process.env.WORST_CASES_ONE_IN ??= '1';

await import('../worst-cases.simulated.test.ts');
