/** Every foreign edit of every provider's routes, in virtual time; `npm test` plays one in three of each provider. */
process.env.PART_ONE_IN ??= '1';

await import('../integration/drift.test.ts');
