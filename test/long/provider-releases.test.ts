/** A bad version and a good one through every provider, in virtual time; `npm test` plays one of the two. */
process.env.PART_ONE_IN ??= '1';

await import('../integration/provider-releases.test.ts');
