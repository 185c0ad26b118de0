import { randomInt } from 'node:crypto';

/** The properties of `npm test`, tried more often and from a fresh seed: `PROPERTY_SEED` in the output plays it again. */
process.env.PROPERTY_RUNS ??= '5000';
process.env.PROPERTY_SEED ??= String(randomInt(2 ** 31 - 1));
process.stdout.write(`PROPERTY_RUNS=${process.env.PROPERTY_RUNS} PROPERTY_SEED=${process.env.PROPERTY_SEED}\n`);

await import('../../src/engine/invariants.test.ts');
await import('../../src/engine/laws.test.ts');
await import('../../src/engine/counting.test.ts');
await import('../../src/engine/moves.test.ts');
await import('../../src/api/parse-canary-field.test.ts');
await import('../../src/kube/lease-invariants.test.ts');
await import('../../src/controller/deletion/restore-application.test.ts');
await import('../../src/controller/invariants.test.ts');
