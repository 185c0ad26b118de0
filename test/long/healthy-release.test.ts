import { describe } from 'vitest';
import { anEnvironment, clusters } from '../scenarios/environment.ts';
import { describeHealthyReleases, LAGGING } from '../scenarios/healthy-releases.ts';

describe.each(clusters)('on $cluster', ({ start }) => {
  describe.each([1, 2, 3])('seed %i', (seed) => describeHealthyReleases(anEnvironment(() => start({ ...LAGGING, seed }))));
});
