import { providerFixtures } from '../scenarios/providers/index.ts';
import { describeShares } from '../scenarios/shares.ts';

// On the embedded cluster, as in `npm test`, but over TCP and with four times as many requests.
describeShares(providerFixtures, { requests: 2_000, seed: 2_101 });
