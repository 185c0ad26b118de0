import { join } from 'node:path';
import { ensureBinaries } from './e2e-binaries.ts';
import { ensureGoTool, type GoTool, moduleSources, toolFolders } from './e2e-go-tool.ts';
import { MissingToolError } from './e2e-tools.ts';

const FLAGGER: GoTool = {
  name: 'flagger',
  module: 'github.com/fluxcd/flagger',
  package: 'github.com/fluxcd/flagger/cmd/flagger',
  purpose: 'the differential tests run Flagger beside Serin',
};
const { module, version } = toolFolders(FLAGGER);

export const FLAGGER_VERSION = version;

/** Path of the Flagger that tests run beside Serin. */
export const ensureFlagger = (say: (line: string) => void = () => undefined): Promise<string> => ensureGoTool(FLAGGER, say);

/** Folder of its chart, in the module that it is built from. */
export const ensureFlaggerChart = async (): Promise<string> =>
  join(await moduleSources(module, FLAGGER.module, 'the chart of Flagger comes'), 'charts', 'flagger');

if (import.meta.main) {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  try {
    say(`control plane: ${(await ensureBinaries(say)).dir}`);
    say(`flagger: ${await ensureFlagger(say)}`);
  } catch (error) {
    // The tests say the same, and skip.
    if (!(error instanceof MissingToolError)) throw error;
    process.stderr.write(`${error.message}\n`);
  }
}
