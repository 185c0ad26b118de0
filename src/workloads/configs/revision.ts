import { digest } from '../canonical-json.ts';
import type { ConfigKey } from './config-ref.ts';

/** What is remembered of a config: never its content. Without `uid`, it is optional and does not exist. */
export interface SeenConfig {
  uid?: string;
  resourceVersion?: string;
  /** Of what it holds (03 CT10); absent when it is not tracked, which its type or its owner decides. */
  checksum?: string;
}

/** Every config that the target's pods read, by ref key. */
export type SeenConfigs = Readonly<Record<ConfigKey, SeenConfig>>;

/** The checksums of the tracked ones, sorted by key: what `status.trackedConfigs` shows (03 CT13). */
export function trackedChecksums(configs: SeenConfigs): Record<ConfigKey, string> {
  return Object.fromEntries(sorted(configs, ({ checksum }) => checksum));
}

/**
 * What decides the pods: the template, the tracked configs, and which optional ones are missing, since pods read one that appears. With
 * nothing of these it is the template's own revision, so that configs which are not tracked change nothing.
 */
export function revisionWithConfigs(template: string, configs: SeenConfigs): string {
  const deciding = sorted(configs, ({ uid, checksum }) => (uid === undefined ? 'absent' : checksum));
  return deciding.length === 0 ? template : `${template.slice(0, template.indexOf(':') + 1)}${digest([template, deciding])}`;
}

function sorted(configs: SeenConfigs, said: (config: SeenConfig) => string | undefined): [ConfigKey, string][] {
  const entries = (Object.entries(configs) as [ConfigKey, SeenConfig][]).flatMap(([key, config]) => {
    const value = said(config);
    return value === undefined ? [] : [[key, value] satisfies [ConfigKey, string]];
  });
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
