import fc from 'fast-check';

/** A property that fails must fail on every machine: `npm test` draws from one seed, the long tier from the seed that it prints. */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 7) });
