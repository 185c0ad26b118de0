import { randomInt } from 'node:crypto';

/** The properties of `npm test`, tried more often and from a fresh seed: `PROPERTY_SEED` in the output plays it again. */
process.env.PROPERTY_RUNS ??= '5000';
process.env.PROPERTY_SEED ??= String(randomInt(2 ** 31 - 1));
process.stdout.write(`PROPERTY_RUNS=${process.env.PROPERTY_RUNS} PROPERTY_SEED=${process.env.PROPERTY_SEED}\n`);

await import('../../src/engine/invariants.simulated.test.ts');
await import('../../src/engine/laws.simulated.test.ts');
await import('../../src/engine/counting.simulated.test.ts');
await import('../../src/engine/moves.simulated.test.ts');
await import('../../src/api/parse-canary-field.test.ts');
await import('../../src/kube/lease-invariants.simulated.test.ts');
await import('../../src/controller/deletion/restore-application.simulated.test.ts');
await import('../../src/controller/invariants.simulated.test.ts');
