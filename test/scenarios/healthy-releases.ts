import { describe, expect, it } from 'vitest';
import type { Provider } from './adversity/app.ts';
import { playHealthyRelease } from './adversity/healthy-release.ts';
import type { Environment, EnvironmentOptions } from './environment.ts';

/** Proxies that hear of each change up to 3 s late, and pods that serve on for 15 s after SIGTERM. */
export const LAGGING = { lagMs: [0, 3000], graceScale: 0.5 } as const satisfies EnvironmentOptions;

const PROVIDERS: readonly Provider[] = ['istio', 'smi:v1alpha2', 'kubernetes'];
/** Blue/Green over a plain Service has no weights that a proxy could hear of late. */
const WEIGHTED: readonly Provider[] = ['istio', 'smi:v1alpha2'];
const nameOf = (provider: Provider): string => provider.split(':')[0] ?? provider;

/** I10 on an environment whose proxies lag as in `LAGGING`: from bootstrap to deletion no request is lost, and without the delay some are. */
export function describeHealthyReleases(environmentOf: () => Environment): void {
  describe.concurrent('I10: clients that never stop, at three proxies that lag by 0 to 3 s', () => {
    it.each(PROVIDERS)('see no error on %s when pods outlive their traffic by 4 s', async (provider) => {
      const options = { provider, namespace: `kept-${nameOf(provider)}`, interval: '1s', scaleDownDelay: '4s', leastAnswers: 2000 };
      const { lost, verdict } = await playHealthyRelease(environmentOf(), options);
      expect(lost).toEqual([]);
      expect(verdict).toBe('Succeeded');
    });

    it.each(WEIGHTED)('do lose requests on %s when the scale-down delay is 0', async (provider) => {
      const options = { provider, namespace: `lost-${nameOf(provider)}`, interval: '1s', scaleDownDelay: '0s', leastAnswers: 0 };
      const { lost, verdict } = await playHealthyRelease(environmentOf(), options);
      expect(lost).not.toEqual([]);
      expect(verdict).toBe('Succeeded');
    });
  });
}
