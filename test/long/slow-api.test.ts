/** A hundred Canaries, and each hardship of the API server; `npm test` plays fifty, and half of the hardships. */
process.env.PART_ONE_IN ??= '1';

await import('../integration/slow-api.test.ts');
