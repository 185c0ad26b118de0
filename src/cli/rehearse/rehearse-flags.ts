import type { ClusterFlags } from '../canaries/session.ts';

/** Values of `--output` of `serin rehearse`. */
export const rehearsalFormats = ['text', 'wide', 'json', 'yaml', 'html', 'junit', 'sarif'] as const;

/** Flags of `serin rehearse`. */
export interface RehearseFlags extends Omit<ClusterFlags, 'output'> {
  filename?: string[];
  canary?: string;
  live?: boolean;
  scenario: string;
  matrix?: boolean;
  seed: string;
  rate: string;
  provider?: string;
  assume?: string[];
  output: (typeof rehearsalFormats)[number];
}
