/** Every release of every kind of target, in virtual time; `npm test` plays every other one of each kind. */
process.env.PART_ONE_IN ??= '1';

await import('../integration/kinds.test.ts');
