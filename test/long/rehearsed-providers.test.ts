/** A bad version of every provider, rehearsed; `npm test` plays half of them. */
process.env.PART_ONE_IN ??= '1';

await import('../integration/rehearse-strategies.test.ts');
