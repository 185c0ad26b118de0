import { randomInt } from 'node:crypto';
import { providerFixtures } from '../scenarios/providers/index.ts';
import { describeShares } from '../scenarios/shares.ts';

const seed = Number(process.env.SHARES_SEED ?? randomInt(2 ** 30));
process.stdout.write(`SHARES_SEED=${seed}\n`);

describeShares(providerFixtures, { requests: 20_000, seed });
