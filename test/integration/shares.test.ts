import { providerFixtures } from '../suite/providers/index.ts';
import { describeShares } from '../suite/shares.ts';
import { enterVirtual, playTests } from '../suite/world.ts';

enterVirtual(53);
playTests();

describeShares(providerFixtures, { requests: 500, seed: 2_101 });
