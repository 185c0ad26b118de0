import { ensureBinaries } from './e2e-binaries.ts';
import { ensureGoTool } from './e2e-go-tool.ts';
import { MissingToolError } from './e2e-tools.ts';

/** Path of the Flagger that the differential tests run beside Serin. */
export const ensureFlagger = (say: (line: string) => void = () => undefined): Promise<string> =>
  ensureGoTool(
    {
      name: 'flagger',
      module: 'github.com/fluxcd/flagger',
      package: 'github.com/fluxcd/flagger/cmd/flagger',
      purpose: 'the differential tests run Flagger beside Serin',
    },
    say,
  );

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
