import { partOf } from '../fakes/covering-part.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';
import { describeShares } from '../scenarios/shares.ts';
import { enterVirtual, playTests } from '../scenarios/world.ts';

enterVirtual(53);
playTests();

describeShares(providerFixtures, { requests: 500, seed: 2_101, part: partOf(2) });
