/** Each record of a release unanswered, with each delay; `npm test` plays every other one. */
process.env.PART_ONE_IN ??= '1';

await import('../../src/controller/canary/lost-answers.simulated.test.ts');
