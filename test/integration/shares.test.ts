import { providerFixtures } from '../suite/providers/index.ts';
import { describeShares } from '../suite/shares.ts';

describeShares(providerFixtures, { requests: 2_000, seed: 2_101 });
