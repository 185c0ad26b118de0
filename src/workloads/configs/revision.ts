import type { SeenConfig } from '../../api/canary-status.ts';
import { digest } from '../digest.ts';

/** Every config that the target's pods read, by ref key. */
export type SeenConfigs = Readonly<Record<string, SeenConfig>>;

/** The checksums of the tracked configs, sorted by key, for `status.trackedConfigs`. */
export function trackedChecksums(configs: SeenConfigs): Record<string, string> {
  return Object.fromEntries(sorted(configs, ({ checksum }) => checksum));
}

/**
 * The revision of the pods: the template, the tracked configs, and the list of missing optional configs, since pods read a config that appears. Without any of
 * these it is the template's own revision, so that configs which are not tracked change nothing.
 */
export function revisionWithConfigs(template: string, configs: SeenConfigs): string {
  const deciding = sorted(configs, ({ uid, checksum }) => (uid === undefined ? 'absent' : checksum));
  return deciding.length === 0 ? template : `${template.slice(0, template.indexOf(':') + 1)}${digest([template, deciding])}`;
}

function sorted(configs: SeenConfigs, said: (config: SeenConfig) => string | undefined): [string, string][] {
  return Object.entries(configs)
    .flatMap(([key, config]): [string, string][] => {
      const value = said(config);
      return value === undefined ? [] : [[key, value]];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
