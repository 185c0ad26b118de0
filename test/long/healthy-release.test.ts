import { describe } from 'vitest';
import { clusters } from '../suite/clusters.ts';
import { describeHealthyReleases, LAGGING } from '../suite/healthy-releases.ts';
import { aStage } from '../suite/stage.ts';

describe.each(clusters)('on $cluster', ({ start }) => {
  describe.each([1, 2, 3])('seed %i', (seed) => describeHealthyReleases(aStage(() => start({ ...LAGGING, seed }))));
});
